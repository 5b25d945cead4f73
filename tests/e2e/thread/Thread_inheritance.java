// State that a new thread inherits: priority, daemon state, group, context loader, inheritable locals; limits on it.
public class Thread_inheritance {
    public static void main(String[] args) throws Exception {
        InheritableThreadLocal<String> in = new InheritableThreadLocal<>() { @Override protected String childValue(String p) { return p + "'"; } };
        ThreadLocal<String> plain = ThreadLocal.withInitial(() -> "initial");
        in.set("parent");
        plain.set("changed");
        ThreadGroup g = new ThreadGroup("limited");
        g.setMaxPriority(3);
        ClassLoader cl = new ClassLoader() { };
        Runnable report = () -> {
            Thread t = Thread.currentThread();
            System.out.println(t.getName() + " " + t.getPriority() + " " + t.isDaemon() + " " + t.getThreadGroup().getName() + " " + in.get() + " " + plain.get() + " " + (t.getContextClassLoader() == cl));
        };
        run(new Thread(report, "plain"));
        run(new Thread(g, report, "grouped"));
        run(new Thread(null, report, "without", 0, false));
        Thread outer = new Thread(g, () -> {
            Thread.currentThread().setContextClassLoader(cl);
            try { run(new Thread(report, "inner")); } catch (InterruptedException e) { }
            report.run();
        }, "outer");
        outer.setDaemon(true);
        outer.setPriority(2);
        run(outer);
        Thread t = new Thread(report, "late");
        t.setPriority(Thread.MAX_PRIORITY);
        System.out.println(t.getPriority() + " " + new Thread(g, report).getPriority() + " " + t.toString() + " " + t.getState());
        for (Runnable r : new Runnable[]{() -> t.setPriority(11), () -> t.setPriority(0), () -> t.setName(null), () -> { t.start(); try { t.join(); } catch (InterruptedException e) { } t.start(); }, () -> { Thread.currentThread().setDaemon(true); }, () -> new Thread((Runnable) null, (String) null)}) {
            try { r.run(); System.out.println("fine"); } catch (RuntimeException e) { System.out.println(e.getClass().getSimpleName()); }
        }
        t.join();
        System.out.println(t.getState() + " " + t.getThreadGroup() + " " + t.isAlive() + " " + t.getPriority());
        System.out.println(g.getMaxPriority() + " " + g.parentOf(g) + " " + g.isDaemon() + " " + g.getParent().getName());
    }
    static void run(Thread t) throws InterruptedException { t.start(); t.join(); }
}
