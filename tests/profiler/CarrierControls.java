import cabernet.Profile;
import java.util.concurrent.atomic.AtomicBoolean;

/** Profiles that start, are dumped, stop and end while threads run, throw and pass the processor on. */
public class CarrierControls {
    static int fib(int n) { return n < 2 ? n : fib(n - 1) + fib(n - 2); }

    static void work(AtomicBoolean done) {
        for (int i = 0; !done.get(); i++) {
            try {
                if (fib(i % 10) % 5 == 0) throw new IllegalStateException();
            } catch (IllegalStateException e) {
                Thread.yield();
            }
        }
    }

    public static void main(String[] args) throws Exception {
        AtomicBoolean done = new AtomicBoolean();
        Thread[] threads = new Thread[6];
        for (int i = 0; i < threads.length; i++) (threads[i] = new Thread(() -> work(done))).start();
        int files = 0;
        for (int i = 0; i < 4; i++) {
            Profile.start(args[1] + ":file=" + args[0] + "/end" + i);
            Thread.sleep(30);
            Profile.dump(args[0] + "/dump" + i);
            Profile.stop();
            Thread.sleep(5);
            Profile.start();
            Thread.sleep(10);
            Profile.dump(args[0] + "/again" + i);
            Profile.end();
            files += 3;
        }
        done.set(true);
        for (Thread t : threads) t.join();
        System.out.println(files + " files");
    }
}
