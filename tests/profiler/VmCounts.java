import java.util.concurrent.locks.LockSupport;

/** Waits, contended monitors and parked threads, in lockstep: the argument determines the number of each. */
public class VmCounts {
    static final Object lock = new Object(), monitor = new Object();
    static boolean notified;
    static volatile boolean unparked;

    static Thread started(Runnable r) {
        Thread t = new Thread(r);
        t.start();
        return t;
    }

    static void until(Thread t, Thread.State state) {
        while (t.getState() != state) Thread.yield();
    }

    static void await() {
        synchronized (monitor) {
            try {
                while (!notified) monitor.wait();
            } catch (InterruptedException e) {
                throw new IllegalStateException(e);
            }
        }
    }

    static void round() {
        Thread t;
        synchronized (lock) {
            t = started(() -> { synchronized (lock) { } });
            until(t, Thread.State.BLOCKED);
        }
        until(t, Thread.State.TERMINATED);
        notified = unparked = false;
        t = started(VmCounts::await);
        until(t, Thread.State.WAITING);
        synchronized (monitor) {
            notified = true;
            monitor.notify();
        }
        until(t, Thread.State.TERMINATED);
        t = started(() -> { while (!unparked) LockSupport.park(); });
        until(t, Thread.State.WAITING);
        unparked = true;
        LockSupport.unpark(t);
        until(t, Thread.State.TERMINATED);
    }

    public static void main(String[] args) {
        for (int i = Integer.parseInt(args[0]); i > 0; i--) round();
    }
}
