// Plain, mutual and nested recursion.
public class Recursion_mutual {
    static int fib(int n) { return n < 2 ? n : fib(n - 1) + fib(n - 2); }
    static boolean even(int n) { return n == 0 || odd(n - 1); }
    static boolean odd(int n) { return n != 0 && even(n - 1); }
    static int ack(int m, int n) { return m == 0 ? n + 1 : n == 0 ? ack(m - 1, 1) : ack(m - 1, ack(m, n - 1)); }
    static int tak(int x, int y, int z) { return y >= x ? z : tak(tak(x - 1, y, z), tak(y - 1, z, x), tak(z - 1, x, y)); }
    private final int[] board = new int[7];
    private boolean free(int row, int col) {
        for (int r = 0; r < row; r++) if (board[r] == col || Math.abs(board[r] - col) == row - r) return false;
        return true;
    }
    int queens(int row) {
        if (row == board.length) return 1;
        int n = 0;
        for (int c = 0; c < board.length; c++) {
            if (!free(row, c)) continue;
            board[row] = c;
            n += queens(row + 1);
        }
        return n;
    }
    public static void main(String[] args) {
        System.out.println(fib(17) + " " + even(150) + " " + odd(75) + " " + ack(2, 6) + " " + tak(9, 6, 3) + " " + new Recursion_mutual().queens(0));
    }
}
