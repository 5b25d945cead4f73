// exit: 5
// Shutdown hooks, uncaught exception handlers and exit from the middle of nested calls.
public class Exit_hooks {
    static int n;
    static void deep(int k) { if (k == 0) leave(); else deep(k - 1); }
    static void leave() { System.out.println("leaving " + n); System.exit(5); }
    static class Hook extends Thread { @Override public void run() { for (int i = 0; i < 10; i++) work(i); System.out.println("hook " + n); } }
    static void work(int i) { n += i; }
    static class Handler implements Thread.UncaughtExceptionHandler { @Override public void uncaughtException(Thread t, Throwable e) { work(100); seen(e); } static void seen(Throwable e) { System.out.println("saw " + e.getMessage()); } }
    static int fails(int k) { if (k == 3) throw new RuntimeException("three"); return fails(k + 1) + 1; }
    public static void main(String[] args) throws Exception {
        Runtime.getRuntime().addShutdownHook(new Hook());
        Thread t = new Thread(() -> fails(0));
        t.setUncaughtExceptionHandler(new Handler());
        t.start();
        t.join();
        deep(8);
    }
}
