// Monitors of blocks and methods, and fields whose instructions are unresolved until the last lines of main. The threads run one after
// another, so a profile is the same each time.
public class Guarded {
    static class Account {
        int value;

        synchronized void add(int x) { value += x; }

        int get() {
            synchronized (this) {
                return value;
            }
        }
    }

    static final Object FIRST = new Object(), SECOND = new Object();
    static volatile int seen;
    static int last;

    static int nested(int n) {
        synchronized (FIRST) {
            synchronized (SECOND) {
                return n <= 0 ? seen : nested(n - 1) + 1;
            }
        }
    }

    // The other order, for which lock-order has a row.
    static int crossed(int n) {
        synchronized (SECOND) {
            synchronized (FIRST) {
                return n + seen;
            }
        }
    }

    public static void main(String[] args) throws Exception {
        Account account = new Account();
        for (int i = 0; i < 20000; i++) {
            account.add(i);
            seen = account.get();
            if (i % 100 == 0) nested(5);
        }
        for (int k = 0; k < 4; k++) {
            Thread t = new Thread(() -> {
                for (int i = 0; i < 5000; i++) {
                    account.add(1);
                    nested(1);
                    crossed(i);
                }
            });
            t.start();
            t.join();
        }
        last = account.get();
        System.out.println(last + " " + seen);
    }
}
