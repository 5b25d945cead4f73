// Monitors in hot code: synchronized methods and blocks left by return and by exception, nested, inlined, contended,
// waited on. Afterwards all of them are free.
public class Locks {
    int value;

    synchronized int add(int x) {
        if (x < 0) throw new IllegalArgumentException("negative");
        value += x;
        return value;
    }

    static synchronized long both(Locks a, Locks b, int i) {
        synchronized (a) {
            synchronized (b) {
                if (i % 1000 == 999) throw new IllegalStateException();
                return a.add(1) + b.add(2);
            }
        }
    }

    static int guarded(Locks l, int i) {
        synchronized (l) {
            try {
                return l.add(i % 50 == 0 ? -1 : 1);
            } catch (IllegalArgumentException e) {
                synchronized (e) {
                    return e.getMessage().length() + (Thread.holdsLock(l) && Thread.holdsLock(e) ? 1 : 0);
                }
            }
        }
    }

    static boolean free(Object o) throws InterruptedException {
        boolean[] got = new boolean[1];
        Thread t = new Thread(() -> { synchronized (o) { got[0] = true; } });
        t.setDaemon(true);
        t.start();
        t.join(60_000);
        return got[0] && !Thread.holdsLock(o);
    }

    static int turns;

    static void ping(Object lock, int me, int n) {
        for (int i = 0; i < n; i++) {
            synchronized (lock) {
                while (turns % 2 != me) {
                    try {
                        lock.wait();
                    } catch (InterruptedException e) {
                        return;
                    }
                }
                turns++;
                lock.notifyAll();
            }
        }
    }

    public static void main(String[] args) throws Exception {
        Locks a = new Locks(), b = new Locks();
        long sum = 0;
        int caught = 0;
        for (int i = 0; i < 40_000; i++) {
            try {
                sum += both(a, b, i) + guarded(a, i);
            } catch (IllegalStateException e) {
                caught++;
            }
        }
        System.out.println(sum + " " + caught + " " + a.value + " " + b.value);
        System.out.println(free(a) + " " + free(b) + " " + free(Locks.class));
        Thread[] threads = new Thread[4];
        Locks shared = new Locks();
        for (int k = 0; k < threads.length; k++) {
            threads[k] = new Thread(() -> {
                for (int i = 0; i < 30_000; i++) shared.add(1);
            });
            threads[k].start();
        }
        for (Thread t : threads) t.join();
        System.out.println(shared.value);
        Object lock = new Object();
        Thread other = new Thread(() -> ping(lock, 1, 2000));
        other.start();
        ping(lock, 0, 2000);
        other.join();
        System.out.println(turns + " " + free(lock));
    }
}
