// An uncaught exception in another thread does not change the exit code.
public class Uncaught_otherThread {
    public static void main(String[] args) throws Exception {
        Thread t = new Thread(() -> { throw new IllegalStateException("in worker"); }, "worker-7");
        t.start();
        t.join();
        System.out.println("main goes on " + t.isAlive() + " " + t.getState());
    }
}
