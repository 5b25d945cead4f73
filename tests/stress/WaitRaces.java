import java.util.Random;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;

/**
 * WaitRaces SECONDS: wait, timed wait, notify, interrupt, sleep, park and join against each other. Each waiter counts
 * the causes that ended its waits; a watcher checks that all of them make progress to the end.
 */
public class WaitRaces {
    static final int WAITERS = 16;
    static final Object[] locks = new Object[4];
    static final AtomicLong[] progress = new AtomicLong[WAITERS];
    static volatile boolean over;
    static volatile Object garbage;

    static void waiter(int me) {
        Random random = new Random(me);
        Object lock = locks[me % locks.length];
        while (!over) {
            try {
                switch (random.nextInt(6)) {
                    case 0:
                        synchronized (lock) {
                            lock.wait();
                        }
                        break;
                    case 1:
                        synchronized (lock) {
                            lock.wait(1, random.nextInt(999999));
                        }
                        break;
                    case 2:
                        Thread.sleep(0, random.nextInt(999999));
                        break;
                    case 3:
                        LockSupport.park();
                        break;
                    case 4:
                        LockSupport.parkNanos(random.nextInt(300000));
                        break;
                    default:
                        Thread child = new Thread(() -> garbage = new byte[random.nextInt(5000)]);
                        child.start();
                        child.join();
                }
            } catch (InterruptedException e) {
                garbage = e;
            }
            Thread.interrupted();
            garbage = new int[random.nextInt(1000)];
            progress[me].incrementAndGet();
        }
    }

    static void disturb(Thread[] waiters, int seed) {
        Random random = new Random(seed);
        while (!over) {
            int victim = random.nextInt(WAITERS);
            switch (random.nextInt(4)) {
                case 0:
                    synchronized (locks[victim % locks.length]) {
                        locks[victim % locks.length].notify();
                    }
                    break;
                case 1:
                    synchronized (locks[victim % locks.length]) {
                        locks[victim % locks.length].notifyAll();
                    }
                    break;
                case 2:
                    waiters[victim].interrupt();
                    break;
                default:
                    LockSupport.unpark(waiters[victim]);
            }
            if (random.nextInt(50) == 0) Thread.yield();
        }
    }

    /** Waits for progress. A waiter that lost a wakeup never makes any; a slow machine has a minute. */
    static void awaitProgress(Thread waiter, AtomicLong progress) throws InterruptedException {
        long then = progress.get();
        for (long end = System.nanoTime() + 60000000000L; progress.get() == then; Thread.sleep(1))
            if (System.nanoTime() > end) throw new AssertionError(waiter + " stands still at " + then);
    }

    public static void main(String[] args) throws Exception {
        long seconds = Long.parseLong(args[0]);
        for (int i = 0; i < locks.length; i++) locks[i] = new Object();
        for (int i = 0; i < WAITERS; i++) progress[i] = new AtomicLong();
        Thread[] waiters = new Thread[WAITERS], disturbers = new Thread[3];
        for (int i = 0; i < WAITERS; i++) {
            int me = i;
            waiters[i] = new Thread(() -> waiter(me), "waiter " + i);
            waiters[i].start();
        }
        for (int i = 0; i < disturbers.length; i++) {
            int seed = 100 + i;
            disturbers[i] = new Thread(() -> disturb(waiters, seed), "disturber " + i);
            disturbers[i].start();
        }
        for (long end = System.nanoTime() + seconds * 1000000000L; System.nanoTime() < end;) {
            Thread.sleep(1000);
            System.gc();
            for (int i = 0; i < WAITERS; i++) awaitProgress(waiters[i], progress[i]);
        }
        over = true;
        for (Thread t : disturbers) t.join();
        for (Thread t : waiters) {
            while (t.isAlive()) {
                t.interrupt();
                t.join(1);
            }
        }
        long sum = 0;
        for (AtomicLong p : progress) sum += p.get();
        System.out.println("races ok");
        System.err.println(sum + " waits");
    }
}
