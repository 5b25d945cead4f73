// Starts and stops a profile while template code runs in several threads: `Starts OPTIONS HOW`. The threads reach a
// gate (in a loop, deep in a recursion, before a monitor, inside one, waiting, or in native code) before the profile
// starts; after it, each run does the same. Only methods with "gate" in their name depend on time.
import cabernet.Profile;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.locks.LockSupport;

public class Starts {
    static volatile boolean open;
    static CountDownLatch atGate;
    static final Object monitor = new Object();
    static int[] numbers = new int[64];
    static long sum;

    interface Shape { int area(int a); }
    static class Square implements Shape { public int area(int a) { return a * a; } }
    static class Half extends Square { public int area(int a) { return super.area(a) / 2; } }
    static class Dot implements Shape { public int area(int a) { return 0; } }
    static final Shape[] shapes = {new Square(), new Half(), new Dot()};

    int field;
    static int leaf(int a) { return a & 7; }
    synchronized int locked(int a) {
        field += a;
        return field & 3;
    }
    int work(int n) {
        int r = 0;
        for (int i = 0; i < n; i++) {
            r += shapes[i % 3].area(i) + leaf(i) + numbers[i & 63];
            if ((i & 3) == 0) r ^= locked(i);
            switch (i % 5) {
                case 0: r++; break;
                case 3: r += Integer.bitCount(r); break;
                default: r -= field;
            }
            if (i % 100 == 7) {
                try {
                    r += fail(i);
                } catch (IllegalStateException e) {
                    r += 2;
                }
            }
        }
        return r;
    }
    static int fail(int i) {
        if (i % 3 == 0) throw new IllegalStateException();
        return leaf(i);
    }

    static void gate() {
        atGate.countDown();
        while (!open) Thread.onSpinWait();
    }
    static void gateAsleep() {
        atGate.countDown();
        while (!open) LockSupport.parkNanos(200_000);
    }
    static void gateInWait() throws InterruptedException {
        synchronized (monitor) {
            atGate.countDown();
            while (!open) monitor.wait();
        }
    }

    // ---- threads ----

    long inLoop(int n) {
        long r = 0;
        for (int i = 0; i < n; i++) {
            if (i == n / 2) gate();
            r += leaf(i) + work(3);
        }
        return r;
    }
    long deep(int n) {
        if (n == 0) {
            gate();
            return work(10);
        }
        long below = n % 2 == 0 ? deep(n - 1) : deepLocked(n - 1);
        return below + leaf(n);
    }
    synchronized long deepLocked(int n) { return deep(n) + 1; }
    long asleep() {
        gateAsleep();
        return work(200);
    }
    long waiting() throws InterruptedException {
        gateInWait();
        return work(200);
    }
    // Threads in this method hold the monitor or wait for it.
    long atMonitor() {
        long r = work(5);
        atGate.countDown();
        synchronized (Starts.class) {
            r += work(100);
        }
        return r + work(50);
    }

    interface Body { long run() throws Exception; }
    static Thread start(Body body) {
        Thread t = new Thread(() -> {
            try {
                long r = body.run();
                synchronized (numbers) { sum += r; }
            } catch (Exception e) {
                throw new IllegalStateException(e);
            }
        });
        t.start();
        return t;
    }

    static void warm() {
        open = true;
        atGate = new CountDownLatch(0);
        Starts s = new Starts();
        for (int i = 0; i < 300; i++) sum += s.inLoop(4) + s.deep(5) + s.work(100);
    }

    static void gatedThreads(String options, String how) throws Exception {
        open = false;
        atGate = new CountDownLatch(7);
        Thread[] threads;
        synchronized (Starts.class) {
            threads = new Thread[] {start(() -> new Starts().inLoop(400)), start(() -> new Starts().deep(600)), start(() -> new Starts().deep(41)),
                                    start(() -> new Starts().asleep()), start(() -> new Starts().waiting()),
                                    start(() -> new Starts().atMonitor()), start(() -> new Starts().atMonitor())};
            atGate.await();
            for (int i = 4; i < 7; i++)
                while (threads[i].getState() != (i == 4 ? Thread.State.WAITING : Thread.State.BLOCKED)) Thread.sleep(1);
            if (how.equals("again")) Profile.start();
            else Profile.start(options);
            open = true;
            synchronized (monitor) { monitor.notifyAll(); }
        }
        for (Thread t : threads) t.join();
    }

    // Stops and restarts a profile repeatedly while threads work.
    static void switched(String options) throws Exception {
        atGate = new CountDownLatch(0);
        Thread[] threads = new Thread[3];
        for (int i = 0; i < 3; i++) {
            int n = i;
            threads[i] = start(() -> {
                long r = 0;
                for (int k = 0; k < 150; k++) r += n == 0 ? new Starts().inLoop(20) : n == 1 ? new Starts().deep(300) : new Starts().work(600);
                return r;
            });
        }
        Profile.start(options);
        for (int k = 0; k < 200 && (threads[0].isAlive() || threads[1].isAlive() || threads[2].isAlive()); k++) {
            Profile.stop();
            Thread.sleep(1);
            Profile.start();
            Thread.sleep(1);
        }
        for (Thread t : threads) t.join();
    }

    // Threads repeat the same work until input arrives.
    static void busy() throws Exception {
        atGate = new CountDownLatch(0);
        boolean[] over = new boolean[1];
        long[] wrong = new long[1];
        Body[] bodies = {() -> new Starts().inLoop(50), () -> new Starts().deep(700), () -> new Starts().work(3000)};
        Thread[] threads = new Thread[3];
        for (int i = 0; i < 3; i++) {
            Body body = bodies[i];
            threads[i] = start(() -> {
                long first = body.run();
                while (!over[0]) {
                    if (body.run() == first) continue;
                    synchronized (numbers) { wrong[0]++; }
                }
                return 0;
            });
            threads[i].setName("busy " + i);
        }
        System.out.println("ready");
        System.in.read();
        over[0] = true;
        for (Thread t : threads) t.join();
        System.out.println("wrong: " + wrong[0]);
    }

    public static void main(String[] args) throws Exception {
        warm();
        if (args[1].equals("busy")) {
            busy();
            return;
        }
        if (args[1].equals("switched")) {
            switched(args[0]);
        } else {
            gatedThreads(args[0], "first");
            if (args[1].equals("twice")) {
                Profile.stop();
                warm();
                gatedThreads(args[0], "again");
            }
        }
        Profile.stop();
        sum += new Starts().work(1000);
        System.out.println(sum);
    }
}
