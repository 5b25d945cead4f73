// exit: 1
// An uncaught exception prints its trace on standard error and exits with 1, after finally blocks.
public class Uncaught_exit {
    static void deep(int n) {
        try {
            if (n == 0) throw new IllegalArgumentException("nobody catches", new Exception("the cause"));
            deep(n - 1);
        } finally {
            System.out.println("finally " + n);
        }
    }

    public static void main(String[] args) {
        deep(3);
    }
}
