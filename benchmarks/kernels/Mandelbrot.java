/** Escape times over a grid: double arithmetic and compares in a tight loop. */
final class Mandelbrot implements Kernel {
    private static final int SIZE = 800, LIMIT = 100;

    @Override
    public long run() {
        long sum = 0;
        for (int y = 0; y < SIZE; y++) {
            double ci = 2.4 * y / SIZE - 1.2;
            for (int x = 0; x < SIZE; x++) sum = sum * 31 + escape(3.0 * x / SIZE - 2.1, ci);
        }
        return sum;
    }

    private static int escape(double cr, double ci) {
        double zr = 0, zi = 0;
        for (int n = 0; n < LIMIT; n++) {
            double rr = zr * zr, ii = zi * zi;
            if (rr + ii > 4) return n;
            zi = 2 * zr * zi + ci;
            zr = rr - ii + cr;
        }
        return LIMIT;
    }
}
