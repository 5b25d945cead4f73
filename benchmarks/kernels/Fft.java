/** Iterative radix-2 Fourier transform and its inverse on separate real and imaginary arrays. */
final class Fft implements Kernel {
    private static final int LOG = 18, N = 1 << LOG;

    private static void transform(double[] re, double[] im, boolean inverse) {
        for (int i = 1, j = 0; i < N; i++) {
            int bit = N >> 1;
            for (; (j & bit) != 0; bit >>= 1) j ^= bit;
            j |= bit;
            if (i < j) {
                swap(re, i, j);
                swap(im, i, j);
            }
        }
        for (int half = 1; half < N; half <<= 1) {
            double angle = (inverse ? Math.PI : -Math.PI) / half;
            double wr = StrictMath.cos(angle), wi = StrictMath.sin(angle);
            for (int block = 0; block < N; block += half << 1) butterflies(re, im, block, half, wr, wi);
        }
    }

    private static void butterflies(double[] re, double[] im, int block, int half, double wr, double wi) {
        double cr = 1, ci = 0;
        for (int i = block; i < block + half; i++) {
            int o = i + half;
            double tr = re[o] * cr - im[o] * ci, ti = re[o] * ci + im[o] * cr;
            re[o] = re[i] - tr;
            im[o] = im[i] - ti;
            re[i] += tr;
            im[i] += ti;
            double next = cr * wr - ci * wi;
            ci = cr * wi + ci * wr;
            cr = next;
        }
    }

    private static void swap(double[] a, int i, int j) {
        double t = a[i];
        a[i] = a[j];
        a[j] = t;
    }

    @Override
    public long run() {
        double[] re = new double[N], im = new double[N];
        for (int i = 0; i < N; i++) re[i] = i * 37 % 101 - 50;
        transform(re, im, false);
        long sum = Double.doubleToLongBits(re[5]) ^ Double.doubleToLongBits(im[N / 3]);
        transform(re, im, true);
        for (int i = 0; i < N; i++) sum = sum * 31 + Math.round(re[i] / N);
        return sum;
    }
}
