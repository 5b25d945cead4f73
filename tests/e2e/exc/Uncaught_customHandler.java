// exit: 1
// Uncaught exception handlers: per thread, default, and one that throws itself.
public class Uncaught_customHandler {
    public static void main(String[] args) throws Exception {
        Thread.setDefaultUncaughtExceptionHandler((t, e) -> System.out.println("default: " + t.getName() + " " + e));
        Thread a = new Thread(() -> { throw new RuntimeException("a"); }, "A");
        a.setUncaughtExceptionHandler((t, e) -> System.out.println("own: " + t.getName() + " " + e.getMessage()));
        a.start();
        a.join();
        Thread b = new Thread(() -> { throw new RuntimeException("b"); }, "B");
        b.start();
        b.join();
        Thread c = new Thread(() -> { throw new RuntimeException("c"); }, "C");
        c.setUncaughtExceptionHandler((t, e) -> { throw new RuntimeException("handler fails"); });
        c.start();
        c.join();
        System.out.println(c.getUncaughtExceptionHandler() == null ? "no handler" : "group");
        throw new Exception("main dies");
    }
}
