/** Dense matrix product on double[][]: two-dimensional array access with bounds checks. */
final class MatMul implements Kernel {
    private static final int N = 290;

    private static double[][] make(int seed) {
        double[][] m = new double[N][N];
        for (int i = 0; i < N; i++) for (int j = 0; j < N; j++) m[i][j] = (i * seed + j * 7) % 13 - 6;
        return m;
    }

    @Override
    public long run() {
        double[][] a = make(3), b = make(5), c = new double[N][N];
        for (int i = 0; i < N; i++) {
            for (int j = 0; j < N; j++) {
                double s = 0;
                for (int k = 0; k < N; k++) s += a[i][k] * b[k][j];
                c[i][j] = s;
            }
        }
        long sum = 0;
        for (double[] row : c) for (double x : row) sum = sum * 17 + (long) x;
        return sum;
    }
}
