/** Places queens by backtracking over boolean arrays. */
final class Queens implements Kernel {
    private static final int N = 12;
    private final boolean[] columns = new boolean[N], up = new boolean[2 * N], down = new boolean[2 * N];
    private final int[] at = new int[N];
    private long sum;

    private int place(int row) {
        if (row == N) {
            for (int c : at) sum = sum * 11 + c;
            return 1;
        }
        int found = 0;
        for (int c = 0; c < N; c++) {
            if (columns[c] || up[row + c] || down[row - c + N]) continue;
            mark(row, c, true);
            at[row] = c;
            found += place(row + 1);
            mark(row, c, false);
        }
        return found;
    }

    private void mark(int row, int c, boolean on) {
        columns[c] = up[row + c] = down[row - c + N] = on;
    }

    @Override
    public long run() { return place(0) + sum * 31; }
}
