// Catches StackOverflowError repeatedly, from plain, synchronized, recursive-finally and deep object code.
public class Overflow_caughtRepeatedly {
    static int depth;
    static final Object lock = new Object();

    static void plain() { depth++; plain(); }
    static int args(int a, long b, double c, Object d) { depth++; return args(a + 1, b * 2, c / 2, d) + 1; }
    static synchronized void sync() { depth++; sync(); }
    static void locked() { synchronized (lock) { depth++; locked(); } }
    static int[] finals = new int[1];

    static class Chain { Chain next; @Override public int hashCode() { return next == null ? 1 : next.hashCode() * 31; } }

    static void run(String name, Runnable r) {
        for (int i = 0; i < 3; i++) {
            depth = 0;
            try {
                r.run();
                System.out.println("no overflow");
            } catch (StackOverflowError e) {
                if (i == 2) System.out.println(name + " " + (depth > 100) + " " + e.getMessage() + " " + (e.getStackTrace().length > 100) + " " + Thread.holdsLock(lock) + " " + Thread.holdsLock(Overflow_caughtRepeatedly.class));
            }
        }
    }

    public static void main(String[] args) throws Exception {
        run("plain", Overflow_caughtRepeatedly::plain);
        run("args", () -> args(1, 2, 3, "x"));
        run("sync", Overflow_caughtRepeatedly::sync);
        run("locked", Overflow_caughtRepeatedly::locked);
        Chain first = new Chain(), c = first;
        for (int i = 0; i < 1000000; i++) { Chain n = new Chain(); c.next = n; c = n; }
        run("chain", () -> { depth = 1000; first.hashCode(); });
        Thread t = new Thread(null, () -> run("thread", Overflow_caughtRepeatedly::plain), "small", 300_000);
        t.start();
        t.join();
        System.out.println("still fine " + "abc".repeat(3));
    }
}
