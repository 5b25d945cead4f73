// Monitors: mutual exclusion, reentrancy, static and instance locks, release on exceptions.
public class Synchronized_counting {
    static int unsafeTotal, statics;
    int value;
    synchronized void inc() { value++; }
    static synchronized void incStatic() { statics++; }
    synchronized int nested(int n) { return n == 0 ? value : nested(n - 1); }
    synchronized void fails() { throw new IllegalStateException("inside"); }

    public static void main(String[] args) throws Exception {
        Synchronized_counting c = new Synchronized_counting();
        int[] shared = {0};
        Thread[] ts = new Thread[4];
        for (int t = 0; t < ts.length; t++) {
            ts[t] = new Thread(() -> {
                for (int i = 0; i < 5000; i++) {
                    c.inc();
                    incStatic();
                    synchronized (shared) { shared[0] += 2; }
                    if (i % 500 == 0) Thread.yield();
                }
            });
        }
        for (Thread t : ts) t.start();
        for (Thread t : ts) t.join();
        System.out.println(c.value + " " + statics + " " + shared[0] + " " + c.nested(50));
        try {
            c.fails();
        } catch (IllegalStateException e) {
            System.out.println(e.getMessage() + " " + Thread.holdsLock(c));
        }
        Thread other = new Thread(c::inc);
        other.start();
        other.join();
        System.out.println(c.value);
        synchronized (c) {
            System.out.println(Thread.holdsLock(c) + " " + c.hashCode() * 0);
            synchronized (c) { c.inc(); }
            System.out.println(Thread.holdsLock(c));
        }
        System.out.println(Thread.holdsLock(c) + " " + c.value);
        Object[] locks = new Object[500];
        int sum = 0;
        for (int i = 0; i < locks.length; i++) locks[i] = new Object();
        for (Object l : locks) { int h = System.identityHashCode(l); synchronized (l) { sum += h == System.identityHashCode(l) ? 1 : 0; } sum += h == l.hashCode() ? 1 : 0; }
        System.out.println(sum);
        try {
            c.notifyAll();
        } catch (IllegalMonitorStateException e) {
            System.out.println(e.getMessage());
        }
        Object two = new Object();
        int[] turns = {0};
        Thread[] pair = new Thread[2];
        StringBuilder order = new StringBuilder();
        for (int p = 0; p < 2; p++) {
            int me = p;
            pair[p] = new Thread(() -> {
                synchronized (two) {
                    for (int i = 0; i < 10; i++) {
                        while (turns[0] % 2 != me) {
                            try { two.wait(); } catch (InterruptedException e) { return; }
                        }
                        order.append(me);
                        turns[0]++;
                        two.notify();
                    }
                }
            });
            pair[p].start();
        }
        for (Thread t : pair) t.join();
        System.out.println(order);
    }
}
