import java.util.concurrent.CountDownLatch;

/** Threads whose behaviour is known by construction. Which: the first argument. Nothing here depends on the machine's speed. */
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

    /** Until the thread is in that state: what comes then has been waited for. */
    static void await(Thread t, Thread.State state) throws Exception {
        while (t.getState() != state) Thread.sleep(1);
    }

    // ---- exact counts ----

    static synchronized void step() { shared++; }
    synchronized void own() { shared++; }

    static void thrown() {
        synchronized (lock) { throw new IllegalStateException(); }
    }

    /** 3,000 of a static method, 2,000 of an object's, 1,000 and 1,000 nested of blocks, 500 left by an exception. */
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

    // ---- a ring: each waits for the one before it ----

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

    /** Low holds the lock, high wants it, middle runs meanwhile. */
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

    // ---- levels ----

    /** 300 ms in which nobody runs. */
    static void levels() throws Exception {
        Thread.sleep(300);
    }
}
