// Lock orders. LockOrders NAME: each case runs its threads in an order without deadlock and completes; other orders
// might deadlock.
import java.util.concurrent.locks.*;

public class LockOrders {
    interface Body { void run() throws Exception; }

    static Thread start(String name, Body body) {
        Thread t = new Thread(() -> {
            try {
                body.run();
            } catch (Exception e) {
                throw new AssertionError(e);
            }
        }, name);
        t.start();
        return t;
    }

    static final Object a = new Object(), b = new Object(), c = new Object(), gate = new Object();
    static final Lock l = new ReentrantLock(), m = new ReentrantLock();

    static void both(Object first, Object second) {
        synchronized (first) {
            synchronized (second) { count++; }
        }
    }
    static int count;

    static void with(Lock lock, Runnable body) {
        lock.lock();
        try {
            body.run();
        } finally {
            lock.unlock();
        }
    }

    /** The second thread starts once the first has done its work, without any order enforced: both could overlap. */
    static void oneAfterTheOther(Body first, Body second) throws Exception {
        Thread one = start("first", () -> { first.run(); worked = true; while (!over) Thread.yield(); });
        Thread two = start("second", () -> { while (!worked) Thread.yield(); second.run(); });
        two.join();
        over = true;
        one.join();
        worked = over = false;
    }
    static volatile boolean worked, over;

    static void inverted() throws Exception { oneAfterTheOther(() -> both(a, b), () -> both(b, a)); }

    static void gated() throws Exception {
        oneAfterTheOther(() -> { synchronized (gate) { both(a, b); } }, () -> { synchronized (gate) { both(b, a); } });
    }

    static void consistent() throws Exception { oneAfterTheOther(() -> both(a, b), () -> both(a, b)); }

    static void started() throws Exception {
        Thread[] child = new Thread[1];
        Thread parent = start("parent", () -> {
            both(a, b);
            child[0] = start("child", () -> both(b, a));
        });
        parent.join();
        child[0].join();
    }

    static void joined() throws Exception {
        Thread one = start("first", () -> both(a, b));
        one.join();
        Thread two = start("second", () -> both(b, a));
        two.join();
    }

    static void alone() throws Exception { start("alone", () -> { both(a, b); both(b, a); }).join(); }

    static void locks() throws Exception {
        oneAfterTheOther(() -> with(l, () -> with(m, () -> count++)), () -> with(m, () -> with(l, () -> count++)));
    }

    static void mixed() throws Exception {
        oneAfterTheOther(() -> with(l, () -> { synchronized (a) { count++; } }),
                         () -> { synchronized (a) { with(l, () -> count++); } });
    }

    static void waiting() throws Exception {
        oneAfterTheOther(() -> { synchronized (a) { synchronized (b) { b.wait(1); } } },
                         () -> { synchronized (b) { synchronized (a) { a.wait(1); } } });
    }

    interface Eat { void run(Object[] forks, int me); }

    /** Five philosophers, one after the other. */
    static void dine(Eat eat) throws Exception {
        Object[] forks = new Object[5];
        Thread[] all = new Thread[5];
        for (int i = 0; i < 5; i++) forks[i] = new Object();
        for (int i = 0; i < 5; i++) {
            int me = i;
            all[i] = start("philosopher" + i, () -> {
                while (turn != me) Thread.yield();
                eat.run(forks, me);
                turn++;
                while (turn != 5) Thread.yield();
            });
        }
        for (Thread t : all) t.join();
        turn = 0;
    }
    static volatile int turn;

    /** Each takes the fork to the left, then the one to the right. */
    static void philosophers() throws Exception { dine((forks, me) -> both(forks[me], forks[(me + 1) % 5])); }

    /** The last philosopher takes the forks in the opposite order. */
    static void ordered() throws Exception {
        dine((forks, me) -> both(forks[Math.min(me, (me + 1) % 5)], forks[Math.max(me, (me + 1) % 5)]));
    }

    /** Each pair of locks is in one order; the locks of a round are dead in the next. */
    static void passing() throws Exception {
        for (int i = 0; i < 20; i++) {
            Object x = new Object(), y = new Object();
            both(x, y);
            System.gc();
            start("other", () -> both(new Object(), new Object())).join();
        }
    }

    public static void main(String[] args) throws Exception {
        switch (args[0]) {
            case "inverted": inverted(); break;
            case "gated": gated(); break;
            case "consistent": consistent(); break;
            case "started": started(); break;
            case "joined": joined(); break;
            case "alone": alone(); break;
            case "locks": locks(); break;
            case "mixed": mixed(); break;
            case "waiting": waiting(); break;
            case "philosophers": philosophers(); break;
            case "ordered": ordered(); break;
            case "passing": passing(); break;
            default: throw new IllegalArgumentException(args[0]);
        }
        System.out.println("done");
    }
}
