import java.util.concurrent.*;
import java.util.concurrent.locks.*;

/** Every kind of timed wait ends, and not too early. */
public class Timed_waits {
    interface Wait { void run() throws Exception; }

    static void timed(String name, Wait wait) throws Exception {
        long begin = System.nanoTime();
        wait.run();
        long ms = (System.nanoTime() - begin) / 1000000;
        System.out.println(name + (ms >= 29 && ms < 20000 ? " ok" : " took " + ms + " ms"));
    }

    public static void main(String[] args) throws Exception {
        Object lock = new Object();
        Thread other = new Thread(() -> LockSupport.park());
        other.setDaemon(true);
        other.start();
        timed("sleep", () -> Thread.sleep(30));
        timed("wait", () -> { synchronized (lock) { lock.wait(30); } });
        timed("join", () -> other.join(30));
        timed("parkNanos", () -> LockSupport.parkNanos(30000000));
        timed("parkUntil", () -> LockSupport.parkUntil(System.currentTimeMillis() + 31));
        timed("poll", () -> new LinkedBlockingQueue<String>().poll(30, TimeUnit.MILLISECONDS));
        timed("schedule", () -> {
            ScheduledExecutorService s = Executors.newScheduledThreadPool(1);
            s.schedule(() -> { }, 30, TimeUnit.MILLISECONDS).get();
            s.shutdown();
        });
    }
}
