import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ForkJoinPool;
import java.util.concurrent.Future;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.RecursiveTask;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Supplier;

/** Threads of known behaviour; the first argument selects one. Nothing here depends on the machine's speed. */
public class Behaviour {
    static final Object lock = new Object(), gate = new Object();
    static int shared;

    public static void main(String[] args) throws Exception {
        switch (args[0]) {
            case "counts": counts(); break;
            case "holders": holders(); break;
            case "buffer": buffer(); break;
            case "ring": ring(); break;
            case "inversion": inversion(); break;
            case "philosophers": philosophers(); break;
            case "levels": levels(); break;
            case "owners": owners(); break;
            case "mixed": mixed(); break;
            case "executor": executor(); break;
            case "forkjoin": forkjoin(); break;
            case "marks": marks(); break;
            case "sites": sites(); break;
            case "retries": retries(); break;
            case "progress": progress(); break;
            case "interrupts": interrupts(); break;
            case "overtaken": overtaken(); break;
            case "taking-turns": takingTurns(); break;
            default: throw new IllegalArgumentException(args[0]);
        }
        System.out.println(args[0] + " " + shared);
    }

    interface Body { void run() throws Exception; }

    static Thread start(String name, Body body) {
        Thread t = new Thread(() -> {
            try { body.run(); } catch (Exception e) { throw new Error(e); }
        }, name);
        t.start();
        return t;
    }

    /** Waits until the thread is in `state`, so that what the caller does next happens while the thread waits. */
    static void await(Thread t, Thread.State state) throws Exception {
        while (t.getState() != state) Thread.sleep(1);
    }

    // ---- exact counts ----

    static synchronized void step() { shared++; }
    synchronized void own() { shared++; }

    static void thrown() {
        synchronized (lock) { throw new IllegalStateException(); }
    }

    /** 3,000 static entries, 2,000 of an instance, 1,000 + 1,000 of nested blocks, 500 left by an exception. */
    static void counts() {
        Behaviour b = new Behaviour();
        for (int i = 0; i < 3000; i++) step();
        for (int i = 0; i < 2000; i++) b.own();
        for (int i = 0; i < 1000; i++) synchronized (lock) { synchronized (lock) { shared++; } }
        for (int i = 0; i < 500; i++) try { thrown(); } catch (IllegalStateException e) { shared++; }
    }

    // ---- a lock held for scripted times ----

    static void hold(int ms) throws Exception {
        synchronized (lock) { Thread.sleep(ms); shared++; }
    }

    /** Main holds the lock ten times for 20 ms, each time until another waits for it. */
    static void holders() throws Exception {
        for (int i = 0; i < 10; i++) {
            Thread waiter;
            synchronized (lock) {
                waiter = start("waiter-" + i, () -> { synchronized (lock) { shared++; } });
                await(waiter, Thread.State.BLOCKED);
                Thread.sleep(20);
            }
            waiter.join();
        }
    }

    // ---- a bounded buffer of one ----

    static int item;

    static void put() throws Exception {
        synchronized (gate) {
            while (item != 0) gate.wait();
            item = 1;
            gate.notifyAll();
        }
    }

    static void take() throws Exception {
        synchronized (gate) {
            while (item == 0) gate.wait();
            item = 0;
            shared++;
            gate.notifyAll();
        }
    }

    static void buffer() throws Exception {
        Thread producer = start("producer", () -> { for (int i = 0; i < 100; i++) put(); });
        Thread consumer = start("consumer", () -> { for (int i = 0; i < 100; i++) take(); });
        producer.join();
        consumer.join();
    }

    // ---- a ring: each thread waits for its predecessor ----

    static int turn;

    static void ring() throws Exception {
        final int members = 4, rounds = 25;
        Thread[] t = new Thread[members];
        for (int i = 0; i < members; i++) {
            final int me = i;
            t[i] = start("member" + (char) ('A' + i), () -> {
                for (int r = 0; r < rounds; r++) pass(me, members);
            });
        }
        for (Thread x : t) x.join();
    }

    static void pass(int me, int members) throws Exception {
        synchronized (gate) {
            while (turn % members != me) gate.wait();
            turn++;
            shared++;
            gate.notifyAll();
        }
    }

    // ---- priority inversion ----

    static volatile boolean stop;

    /** Low holds the lock, high wants it, and middle runs meanwhile. */
    static void inversion() throws Exception {
        CountDownLatch held = new CountDownLatch(1), release = new CountDownLatch(1);
        Thread low = new Thread(() -> {
            synchronized (lock) {
                held.countDown();
                try { release.await(); } catch (InterruptedException e) { throw new Error(e); }
            }
        }, "low");
        Thread middle = new Thread(() -> { while (!stop) Thread.yield(); }, "middle");
        Thread high = new Thread(() -> { synchronized (lock) { shared++; } }, "high");
        low.setPriority(2);
        middle.setPriority(5);
        high.setPriority(9);
        low.start();
        held.await();
        middle.start();
        high.start();
        await(high, Thread.State.BLOCKED);
        Thread.sleep(10);
        release.countDown();
        high.join();
        stop = true;
        low.join();
        middle.join();
    }

    // ---- a deadlock that happens ----

    static void philosophers() throws Exception {
        final int n = 3;
        Object[] fork = new Object[n];
        for (int i = 0; i < n; i++) fork[i] = new Object();
        CountDownLatch seated = new CountDownLatch(n);
        Thread[] t = new Thread[n];
        for (int i = 0; i < n; i++) {
            final int me = i;
            t[i] = new Thread(() -> {
                synchronized (fork[me]) {
                    seated.countDown();
                    try { seated.await(); } catch (InterruptedException e) { throw new Error(e); }
                    synchronized (fork[(me + 1) % n]) { shared++; }
                }
            }, "philosopher-" + i);
            t[i].setDaemon(true);
            t[i].start();
        }
        for (Thread x : t) await(x, Thread.State.BLOCKED);
    }

    // ---- locks of java.util.concurrent ----

    static final ReentrantLock own = new ReentrantLock();

    /** 5,000 acquisitions, each with a nested one; then an acquisition that waits for at least 20 ms. */
    static void owners() throws Exception {
        for (int i = 0; i < 5000; i++) {
            own.lock();
            own.lock();
            try { shared++; } finally { own.unlock(); own.unlock(); }
        }
        Thread t;
        own.lock();
        try {
            t = start("waiter", () -> { own.lock(); try { shared++; } finally { own.unlock(); } });
            while (!own.hasQueuedThread(t)) Thread.sleep(1);
            await(t, Thread.State.WAITING);
            Thread.sleep(20);
        } finally { own.unlock(); }
        t.join();
    }

    /** One thread holds a monitor and wants a lock; the other holds the lock and wants the monitor. */
    static void mixed() throws Exception {
        CountDownLatch both = new CountDownLatch(2);
        Thread one = new Thread(() -> {
            synchronized (lock) { meet(both); own.lock(); }
        }, "one");
        Thread other = new Thread(() -> {
            own.lock();
            meet(both);
            synchronized (lock) { shared++; }
        }, "other");
        one.setDaemon(true);
        other.setDaemon(true);
        one.start();
        other.start();
        await(one, Thread.State.WAITING);
        await(other, Thread.State.BLOCKED);
    }

    static void meet(CountDownLatch both) {
        both.countDown();
        try { both.await(); } catch (InterruptedException e) { throw new Error(e); }
    }

    // ---- tasks ----

    static class Job implements Callable<Integer> {
        public Integer call() throws Exception { Thread.sleep(5); return 1; }
    }
    static class Command implements Runnable {
        public void run() { synchronized (gate) { shared++; } }
    }

    /** One worker. Ten jobs of 5 ms arrive together, so the last waits for 45 ms; one command runs twenty times. */
    static void executor() throws Exception {
        ThreadPoolExecutor e = new ThreadPoolExecutor(1, 1, 1, TimeUnit.MINUTES, new LinkedBlockingQueue<>());
        e.prestartAllCoreThreads();
        List<Future<Integer>> jobs = new ArrayList<>();
        for (int i = 0; i < 10; i++) jobs.add(e.submit(new Job()));
        for (Future<Integer> j : jobs) shared += j.get();
        Command c = new Command();
        for (int i = 0; i < 20; i++) e.execute(c);
        shared += CompletableFuture.supplyAsync(new Value(), e).get();
        e.shutdown();
        e.awaitTermination(1, TimeUnit.MINUTES);
    }

    static class Value implements Supplier<Integer> {
        public Integer get() { return 3; }
    }

    static class Sum extends RecursiveTask<Integer> {
        final int low, high;
        Sum(int low, int high) { this.low = low; this.high = high; }
        protected Integer compute() {
            if (high - low == 1) return low;
            Sum left = new Sum(low, (low + high) / 2), right = new Sum((low + high) / 2, high);
            left.fork();
            return right.compute() + left.join();
        }
    }

    /** 64 leaves: 63 forks and one invoke. */
    static void forkjoin() throws Exception {
        ForkJoinPool pool = new ForkJoinPool(2);
        shared = pool.invoke(new Sum(0, 64));
        pool.shutdown();
    }

    // ---- two points ----

    static void slow() throws Exception { Thread.sleep(10); }

    /** Marks within one thread, and from one thread to another by keys. */
    static void marks() throws Exception {
        for (int i = 0; i < 5; i++) {
            cabernet.Profile.mark("begin");
            slow();
            cabernet.Profile.mark("end");
        }
        for (int i = 1; i <= 3; i++) cabernet.Profile.mark("sent", i);
        start("receiver", () -> {
            Thread.sleep(10);
            for (int i = 3; i >= 1; i--) cabernet.Profile.mark("received", i);
            cabernet.Profile.mark("received", 99);
        }).join();
    }

    // ---- levels ----

    /** No thread runs for 300 ms. */
    static void levels() throws Exception {
        Thread.sleep(300);
    }

    // ---- which lock ----

    static void enter(Object o, int times) {
        for (int i = 0; i < times; i++) synchronized (o) { shared++; }
    }

    static Object one() { return new Object(); }
    static Object another() { return new Object(); }
    static ReentrantLock owned() { return new ReentrantLock(); }

    static void sites() {
        Object a = one(), b = one(), c = another();
        ReentrantLock l = owned(), m = owned();
        enter(a, 100);
        enter(b, 200);
        enter(c, 400);
        for (int i = 0; i < 50; i++) { l.lock(); l.unlock(); }
        for (int i = 0; i < 70; i++) { m.lock(); m.unlock(); }
    }

    // ---- attempts ----

    static void tryIt(ReentrantLock l, int times) {
        for (int i = 0; i < times; i++)
            if (l.tryLock()) l.unlock();
    }

    static void compare(AtomicInteger a, int expected, int times) {
        for (int i = 0; i < times; i++) a.compareAndSet(expected, expected);
    }

    static void giveWay(int times) {
        for (int i = 0; i < times; i++) {
            if ((i & 1) == 0) Thread.yield();
            else Thread.onSpinWait();
        }
    }

    /** A thread without progress, because main holds what it wants. */
    static void retries() throws Exception {
        ReentrantLock l = new ReentrantLock();
        AtomicInteger a = new AtomicInteger(1);
        l.lock();
        start("loser", () -> {
            tryIt(l, 200);
            compare(a, 0, 300);
            giveWay(400);
        }).join();
        l.unlock();
    }

    /** As many attempts, of which all or enough succeed. */
    static void progress() throws Exception {
        ReentrantLock l = new ReentrantLock();
        AtomicInteger a = new AtomicInteger(1);
        start("winner", () -> {
            tryIt(l, 200);
            for (int i = 0; i < 30; i++) { compare(a, 0, 10); compare(a, 1, 1); }
            for (int i = 0; i < 10; i++) { giveWay(40); l.lock(); l.unlock(); }
        }).join();
    }

    /** Two threads that interrupt each other out of every wait; neither is ever notified. An interrupt that comes before
     *  the wait makes it fail at once, which is no wait: how many of the 400 are waits depends on the scheduler. */
    static void interrupts() throws Exception {
        Thread[] pair = new Thread[2];
        CountDownLatch both = new CountDownLatch(2);
        for (int i = 0; i < 2; i++) {
            int me = i;
            pair[i] = new Thread(() -> {
                both.countDown();
                while (both.getCount() > 0) Thread.onSpinWait();
                for (int k = 0; k < 400; k++) {
                    pair[1 - me].interrupt();
                    try {
                        synchronized (pair[me]) { pair[me].wait(5); }
                    } catch (InterruptedException e) {
                        // tries again, as the other thread does
                    }
                }
            }, "polite-" + i);
        }
        for (Thread t : pair) t.start();
        for (Thread t : pair) t.join();
    }

    /** Main takes the lock again before the waiting thread gets a chance: there is only one carrier. */
    static void overtaken() throws Exception {
        Thread t;
        synchronized (lock) { await(t = start("starved", () -> { synchronized (lock) { shared++; } }), Thread.State.BLOCKED); }
        for (int i = 0; i < 100; i++) synchronized (lock) { shared++; }
        t.join();
    }

    /** Two threads that hand a fair lock to each other. */
    static void takingTurns() throws Exception {
        ReentrantLock fair = new ReentrantLock(true);
        Thread[] pair = new Thread[2];
        for (int i = 0; i < 2; i++)
            pair[i] = start("turn-" + i, () -> {
                for (int k = 0; k < 100; k++) {
                    fair.lock();
                    try { shared++; } finally { fair.unlock(); }
                }
            });
        for (Thread t : pair) t.join();
    }
}
