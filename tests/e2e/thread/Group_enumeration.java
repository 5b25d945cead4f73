// Thread groups, enumeration, all stack traces, context class loaders, daemon exit.
import java.util.*;

public class Group_enumeration {
    public static void main(String[] args) throws Exception {
        ThreadGroup g = new ThreadGroup("workers");
        Object gate = new Object();
        boolean[] open = {false};
        Thread[] ts = new Thread[3];
        for (int i = 0; i < 3; i++) {
            ts[i] = new Thread(g, () -> {
                synchronized (gate) { while (!open[0]) try { gate.wait(); } catch (InterruptedException e) { return; } }
            }, "w" + i);
            ts[i].start();
        }
        Thread[] found = new Thread[10];
        int n = g.enumerate(found);
        TreeSet<String> names = new TreeSet<>();
        for (int i = 0; i < n; i++) names.add(found[i].getName());
        System.out.println(g.activeCount() + " " + names + " " + g.getParent().getName() + " " + g.getMaxPriority() + " " + g);
        ThreadGroup top = g;
        while (top.getParent() != null) top = top.getParent();
        System.out.println(top.getName() + " " + top.parentOf(g));
        for (Thread t : ts) while (t.getState() != Thread.State.WAITING) Thread.sleep(1);
        Map<Thread, StackTraceElement[]> all = Thread.getAllStackTraces();
        int waiting = 0;
        for (Map.Entry<Thread, StackTraceElement[]> e : all.entrySet())
            if (e.getKey().getThreadGroup() == g) for (StackTraceElement s : e.getValue()) if (s.getMethodName().equals("wait")) { waiting++; break; }
        System.out.println(waiting + " " + all.containsKey(Thread.currentThread()) + " " + (ts[0].getStackTrace().length > 1));
        g.setMaxPriority(3);
        Thread p = new Thread(g, () -> { });
        p.setPriority(9);
        System.out.println(p.getPriority());
        synchronized (gate) { open[0] = true; gate.notifyAll(); }
        for (Thread t : ts) t.join();
        System.out.println(g.activeCount() + " " + ts[0].getThreadGroup());
        Thread c = new Thread(() -> System.out.println(Thread.currentThread().getContextClassLoader() == ClassLoader.getSystemClassLoader()));
        c.start();
        c.join();
        ThreadGroup h = new ThreadGroup("handling") {
            @Override public void uncaughtException(Thread t, Throwable e) { System.out.println("group saw " + e.getMessage() + " in " + t.getName()); }
        };
        Thread bad = new Thread(h, () -> { throw new RuntimeException("x"); }, "bad");
        bad.start();
        bad.join();
        Thread daemon = new Thread(() -> { while (true) try { Thread.sleep(1000); } catch (InterruptedException e) { } });
        daemon.setDaemon(true);
        daemon.start();
        System.out.println("main ends, daemon lives");
    }
}
