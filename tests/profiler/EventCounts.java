import java.util.concurrent.locks.LockSupport;

/** Each kind of event, with a count that follows from the source. tests/run/events.py has the expected counts. */
public class EventCounts {
    int field;
    static long shared;
    static final Object lock = new Object();

    static int leaf(int n) { return n + 1; }

    static int calls(int n) {
        int r = 0;
        for (int i = 0; i < n; i++) r = leaf(r);
        return r;
    }

    static int thrower(int n) {
        if (n >= 0) throw new IllegalStateException();
        return n;
    }

    static int catcher(int n) {
        int caught = 0;
        for (int i = 0; i < n; i++) {
            try {
                thrower(i);
            } catch (IllegalStateException e) {
                caught++;
            }
        }
        return caught;
    }

    int fields(int n) {
        int sum = 0;
        for (int i = 0; i < n; i++) {
            field = i;
            shared += field;
            sum += field;
        }
        return sum;
    }

    static int arrays(int[] a, Object[] o, int n) {
        int sum = 0;
        for (int i = 0; i < n; i++) {
            a[i % 10] = i;
            sum += a[i % 10];
            o[0] = o[1];
        }
        return sum;
    }

    static int failing(int[] a, Object[] o) {
        int failed = 0;
        try { a[a.length] = 1; } catch (ArrayIndexOutOfBoundsException e) { failed++; }
        try { o[0] = Integer.valueOf(1); } catch (ArrayStoreException e) { failed++; }
        try { a = null; a[0]++; } catch (NullPointerException e) { failed++; }
        return failed;
    }

    static Object allocate(int n) {
        Object last = null;
        for (int i = 0; i < n; i++) {
            last = new EventCounts();
            last = new int[i];
            last = new Object[i];
            last = new long[2][3];
        }
        return last;
    }

    static int jumps(int n) {
        int r = 0;
        for (int i = 0; i < n; i++) {
            if ((i & 1) == 0) r++;
            else r--;
            switch (i % 3) {
                case 0: r += 1; break;
                case 1: r += 2; break;
                default: r += 3;
            }
        }
        return r;
    }

    static synchronized void locked() { }

    static void monitors(int n) {
        for (int i = 0; i < n; i++) {
            synchronized (lock) {
                synchronized (lock) { shared++; }
            }
            locked();
        }
    }

    static void waits(int n) throws InterruptedException {
        for (int i = 0; i < n; i++) {
            synchronized (lock) {
                lock.wait(1);
                lock.notify();
                lock.notifyAll();
            }
        }
    }

    static void parks(int n) {
        for (int i = 0; i < n; i++) {
            LockSupport.unpark(Thread.currentThread());
            LockSupport.park();
        }
    }

    static void threads(int n) throws InterruptedException {
        for (int i = 0; i < n; i++) {
            Thread t = new Thread(() -> calls(3), "counted");
            t.start();
            t.join();
        }
    }

    static void contend() throws InterruptedException {
        Thread[] t = new Thread[4];
        for (int k = 0; k < t.length; k++) {
            t[k] = new Thread(() -> {
                for (int i = 0; i < 200; i++) synchronized (lock) { Thread.yield(); }
            });
            t[k].start();
        }
        for (Thread thread : t) thread.join();
    }

    public static void main(String[] args) throws Exception {
        int n = Integer.parseInt(args[0]);
        String out = calls(n) + " " + catcher(n) + " " + new EventCounts().fields(n) + " "
                   + arrays(new int[10], new Object[2], n) + " " + failing(new int[1], new String[1]) + " "
                   + (allocate(n) != null) + " " + jumps(n);
        monitors(n);
        waits(3);
        parks(n);
        threads(3);
        contend();
        for (int i = 0; i < 3; i++) System.gc();
        System.out.println(out);
    }
}
