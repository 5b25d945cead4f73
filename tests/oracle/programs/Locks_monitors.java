// Monitors: blocks and methods, static ones, nested, in loops, left by exceptions, of null, by several threads.
public class Locks_monitors {
    static final Object a = new Object(), b = new Object();
    static int count, shared;  // `a` guards shared

    static synchronized void step() { count++; }
    synchronized void own() { count++; again(); }
    synchronized void again() { count++; }

    static class Sub extends Locks_monitors {
        @Override synchronized void own() { super.own(); }
    }

    static synchronized int recursive(int n) { return n == 0 ? 0 : 1 + recursive(n - 1); }

    static void nested(int n) {
        for (int i = 0; i < n; i++) {
            synchronized (a) {
                if (i % 3 == 0) continue;
                synchronized (b) { synchronized (a) { count++; } }
            }
        }
    }

    static void thrown(int n) {
        for (int i = 0; i < n; i++) {
            try {
                synchronized (a) {
                    if (i % 2 == 0) throw new IllegalStateException();
                    count++;
                }
            } catch (IllegalStateException e) {
                synchronized (b) { count--; }
            }
        }
    }

    static int ofNull(int n) {
        int caught = 0;
        for (int i = 0; i < n; i++) {
            Object o = i % 4 == 0 ? null : a;
            try {
                synchronized (o) { count++; }
            } catch (NullPointerException e) {
                caught++;
            }
        }
        return caught;
    }

    static void together(int n) {
        for (int i = 0; i < n; i++) {
            synchronized (a) { shared++; }
            step();
        }
    }

    public static void main(String[] args) throws InterruptedException {
        Locks_monitors one = new Locks_monitors(), two = new Sub();
        for (int i = 0; i < 3000; i++) step();
        for (int i = 0; i < 700; i++) { one.own(); two.own(); }
        nested(1000);
        thrown(501);
        Thread[] threads = new Thread[3];
        for (int i = 0; i < threads.length; i++) (threads[i] = new Thread(() -> together(2000))).start();
        for (Thread t : threads) t.join();
        System.out.println(recursive(40) + " " + ofNull(90) + " " + count + " " + shared);
    }
}
