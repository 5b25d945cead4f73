// Interruption: flags, sleeping, joining, parking, interruptible locks and queues.
import java.util.concurrent.*;
import java.util.concurrent.locks.*;

public class Interrupt_rules {
    interface Blocking { void run() throws Exception; }

    static void interruptIn(String what, Blocking b) throws Exception {
        Thread t = new Thread(() -> {
            try {
                b.run();
                System.out.println(what + " returned, flag " + Thread.currentThread().isInterrupted());
            } catch (InterruptedException e) {
                System.out.println(what + " InterruptedException, flag " + Thread.currentThread().isInterrupted());
            } catch (Exception e) {
                System.out.println(what + " " + e + ", flag " + Thread.currentThread().isInterrupted());
            }
        });
        t.start();
        while (t.getState() == Thread.State.NEW || t.getState() == Thread.State.RUNNABLE) Thread.sleep(1);
        t.interrupt();
        t.join();
    }

    public static void main(String[] args) throws Exception {
        Thread forever = new Thread(LockSupport::park);
        forever.setDaemon(true);
        forever.start();
        ReentrantLock held = new ReentrantLock();
        held.lock();
        interruptIn("sleep", () -> Thread.sleep(60_000));
        interruptIn("join", () -> forever.join());
        interruptIn("park", () -> LockSupport.park());
        interruptIn("parkNanos", () -> LockSupport.parkNanos(60_000_000_000L));
        interruptIn("lockInterruptibly", () -> held.lockInterruptibly());
        interruptIn("tryLock", () -> held.tryLock(60, TimeUnit.SECONDS));
        interruptIn("take", () -> new LinkedBlockingQueue<>().take());
        interruptIn("latch", () -> new CountDownLatch(1).await());
        interruptIn("future", () -> new CompletableFuture<>().get());
        interruptIn("barrier", () -> new CyclicBarrier(2).await());
        interruptIn("condition", () -> { ReentrantLock l = new ReentrantLock(); l.lock(); try { l.newCondition().await(); } finally { l.unlock(); } });
        Thread.currentThread().interrupt();
        System.out.println(Thread.currentThread().isInterrupted() + " " + Thread.interrupted() + " " + Thread.interrupted());
        Thread.currentThread().interrupt();
        try {
            Thread.sleep(0);
        } catch (InterruptedException e) {
            System.out.println("sleep(0) " + e.getMessage());
        }
        Thread.currentThread().interrupt();
        LockSupport.park();
        System.out.println(Thread.interrupted());
        Thread n = new Thread(() -> { });
        n.interrupt();
        System.out.println(n.isInterrupted());
        LockSupport.unpark(Thread.currentThread());
        LockSupport.unpark(Thread.currentThread());
        LockSupport.park();
        long t0 = System.nanoTime();
        LockSupport.parkNanos(20_000_000);
        System.out.println("one permit only " + (System.nanoTime() - t0 > 0));
    }
}
