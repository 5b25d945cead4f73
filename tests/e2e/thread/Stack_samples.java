// Stack traces of other threads: running, waiting, blocked, not started, ended; all of them at once.
import java.util.*;
import java.util.concurrent.locks.*;

public class Stack_samples {
    static final Object lock = new Object();
    static volatile boolean stop;
    static void waits() { synchronized (lock) { try { lock.wait(); } catch (InterruptedException e) { } } }
    static void parks() { LockSupport.park(lock); }
    static void spins() { while (!stop) Thread.onSpinWait(); }
    static void blocked(Object o) { synchronized (o) { } }
    static boolean has(Thread t, String method) { for (StackTraceElement e : t.getStackTrace()) if (e.getMethodName().equals(method)) return true; return false; }

    public static void main(String[] args) throws Exception {
        Object held = new Object();
        Thread w = new Thread(Stack_samples::waits, "w"), p = new Thread(Stack_samples::parks, "p"), s = new Thread(Stack_samples::spins, "s"), b = new Thread(() -> blocked(held), "b"), n = new Thread(() -> { }, "n");
        System.out.println(n.getStackTrace().length);
        synchronized (held) {
            for (Thread t : new Thread[]{w, p, s, b}) { t.setDaemon(true); t.start(); }
            while (w.getState() != Thread.State.WAITING || p.getState() != Thread.State.WAITING || b.getState() != Thread.State.BLOCKED || !has(s, "spins")) Thread.sleep(1);
            System.out.println(has(w, "waits") + " " + has(p, "parks") + " " + has(s, "spins") + " " + has(b, "blocked") + " " + (LockSupport.getBlocker(p) == lock));
            System.out.println(w.getStackTrace()[0] .getMethodName() + " " + w.getStackTrace()[0].isNativeMethod() + " " + p.getStackTrace()[0].getMethodName());
            Map<Thread, StackTraceElement[]> all = Thread.getAllStackTraces();
            Set<String> names = new TreeSet<>();
            for (Thread t : all.keySet()) if (t.getName().length() == 1 || t.getName().equals("main")) names.add(t.getName() + all.get(t).length / 100);
            System.out.println(names + " " + (all.get(Thread.currentThread()).length > 1));
        }
        stop = true;
        s.join();
        System.out.println(s.getStackTrace().length + " " + s.getState());
        StackTraceElement[] mine = Thread.currentThread().getStackTrace();
        System.out.println(mine[0].getMethodName() + " " + mine[1].getMethodName());
    }
}
