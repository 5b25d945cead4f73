/** Spectral norm of an infinite matrix given by a formula: calls in inner loops, double division. */
final class Spectral implements Kernel {
    private static final int N = 550;

    private static double entry(int i, int j) {
        return 1.0 / ((i + j) * (i + j + 1) / 2 + i + 1);
    }

    private static void times(double[] v, double[] out, boolean transposed) {
        for (int i = 0; i < N; i++) {
            double s = 0;
            for (int j = 0; j < N; j++) s += (transposed ? entry(j, i) : entry(i, j)) * v[j];
            out[i] = s;
        }
    }

    @Override
    public long run() {
        double[] u = new double[N], v = new double[N], t = new double[N];
        java.util.Arrays.fill(u, 1);
        for (int i = 0; i < 8; i++) {
            times(u, t, false);
            times(t, v, true);
            times(v, t, false);
            times(t, u, true);
        }
        double uv = 0, vv = 0;
        for (int i = 0; i < N; i++) {
            uv += u[i] * v[i];
            vv += v[i] * v[i];
        }
        return Double.doubleToLongBits(Math.sqrt(uv / vv));
    }
}
