import cabernet.Profile;
import java.util.concurrent.locks.LockSupport;

/** The same events three times: while a profile records, while it is stopped, and after it resumes. */
public class Stopped {
    static final Object lock = new Object();

    static void work() throws Exception {
        synchronized (lock) {
            lock.wait(1);
            lock.notify();
        }
        LockSupport.unpark(Thread.currentThread());
        LockSupport.park();
        Thread t = new Thread(() -> { });
        t.start();
        t.join();
        System.gc();
    }

    public static void main(String[] args) throws Exception {
        work();
        Profile.start(args[0]);
        work();
        Profile.stop();
        Profile.dump(args[1] + ".stopped");
        work();
        Profile.dump(args[1] + ".later");
        Profile.start();
        work();
        Profile.dump(args[1] + ".again");
    }
}
