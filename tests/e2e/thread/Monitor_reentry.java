// Monitors: depth, wait that releases all levels, wrong owners, static and instance locks, exceptional exits.
public class Monitor_reentry {
    static final Object lock = new Object();
    static int depth(int n) { synchronized (lock) { return n == 0 ? 0 : 1 + depth(n - 1); } }
    static synchronized boolean stat() { return Thread.holdsLock(Monitor_reentry.class); }
    synchronized boolean inst() { return Thread.holdsLock(this) && !Thread.holdsLock(Monitor_reentry.class); }
    synchronized void fails() { throw new IllegalStateException("inside"); }
    interface Step { void run() throws Exception; }
    static void t(String what, Step s) { try { s.run(); System.out.println(what + " fine"); } catch (Exception e) { System.out.println(what + " " + e); } }

    public static void main(String[] args) throws Exception {
        System.out.println(depth(1000) + " " + Thread.holdsLock(lock) + " " + stat() + " " + new Monitor_reentry().inst());
        Monitor_reentry m = new Monitor_reentry();
        t("fails", m::fails);
        System.out.println(Thread.holdsLock(m));
        t("wait", () -> lock.wait());
        t("notify", () -> lock.notify());
        t("notifyAll", () -> lock.notifyAll());
        t("negative", () -> { synchronized (lock) { lock.wait(-1); } });
        t("nanos", () -> { synchronized (lock) { lock.wait(1, 1_000_000); } });
        t("short nanos", () -> { synchronized (lock) { lock.wait(0, 1); } });
        t("timeout", () -> { synchronized (lock) { lock.wait(5); } });
        t("holdsLock null", () -> Thread.holdsLock(null));
        t("null lock", () -> { Object o = null; synchronized (o) { System.out.println("never"); } });
        // a wait at depth n releases the monitor, and restores the same depth
        int[] count = {0};
        Thread waker = new Thread(() -> { synchronized (lock) { count[0]++; lock.notifyAll(); } });
        synchronized (lock) { synchronized (lock) { synchronized (lock) {
            waker.start();
            while (count[0] == 0) lock.wait();
        } System.out.println(Thread.holdsLock(lock)); } System.out.println(Thread.holdsLock(lock)); }
        System.out.println(Thread.holdsLock(lock));
        waker.join();
        // identity hash before and after the lock is inflated
        Object o = new Object();
        int h = System.identityHashCode(o);
        Thread[] ts = new Thread[4];
        int[] n = {0};
        for (int i = 0; i < ts.length; i++) (ts[i] = new Thread(() -> { for (int k = 0; k < 500; k++) synchronized (o) { n[0]++; if (k % 100 == 0) Thread.yield(); } })).start();
        for (Thread t : ts) t.join();
        System.out.println(n[0] + " " + (h == System.identityHashCode(o)) + " " + (o.hashCode() == h));
        // locks on arrays, classes, strings, boxed values
        synchronized (new int[0]) { synchronized (int.class) { synchronized ("text") { synchronized (Integer.valueOf(3)) { System.out.println(Thread.holdsLock(int.class) + " " + Thread.holdsLock("text")); } } } }
    }
}
