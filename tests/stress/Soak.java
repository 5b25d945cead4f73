import java.io.InputStream;
import java.lang.ref.WeakReference;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Allocation, monitors, exceptions, deep recursion, class loading, threads and references, all at once,
 * for the given number of seconds. Each worker checks its results; any error ends the program with exit
 * code 1.
 */
public class Soak {
    static volatile boolean over;
    static volatile Throwable failure;
    static final AtomicLong rounds = new AtomicLong();
    static final Map<String, long[]> shared = new ConcurrentHashMap<>();

    interface Work {
        void round(int n) throws Throwable;
    }

    static void check(boolean truth, String what) {
        if (!truth) throw new AssertionError(what);
    }

    static void allocation(int n) {
        List<Map<String, int[]>> kept = new ArrayList<>();
        for (int i = 0; i < 20; i++) {
            Map<String, int[]> map = new HashMap<>();
            for (int j = 0; j < 50; j++) map.put("key " + j, new int[] {n, i, j});
            kept.add(map);
        }
        for (int i = 0; i < 20; i++)
            for (int j = 0; j < 50; j++) {
                int[] found = kept.get(i).get("key " + j);
                check(found != null && found[0] == n && found[1] == i && found[2] == j, "map lost an entry");
            }
    }

    static int counter, expected;
    static final Object lock = new Object();

    static void monitors(int n) throws InterruptedException {
        for (int i = 0; i < 200; i++)
            synchronized (lock) {
                if (i % 50 == 0) lock.wait(1);
                check(counter == expected, "two threads in one monitor");
                counter++;
                expected = counter;
                lock.notify();
            }
    }

    static int overflow(int depth) {
        return 1 + overflow(depth + 1);
    }

    static void exceptions(int n) {
        int caught = 0;
        for (int i = 0; i < 50; i++) {
            try {
                if (i % 10 == 0) overflow(0);
                Object o = i % 2 == 0 ? null : "text";
                if (i % 3 == 0) o.hashCode();
                throw new IllegalStateException("round " + n, i % 5 == 0 ? new Exception("cause") : null);
            } catch (StackOverflowError | RuntimeException e) {
                caught++;
                check(e.getStackTrace().length > 0, "no stack trace");
            }
        }
        check(caught == 50, "an exception got lost");
    }

    static final class Loader extends ClassLoader {
        Class<?> define(byte[] bytes) {
            return defineClass(null, bytes, 0, bytes.length);
        }
    }

    public static final class Loaded implements java.util.function.IntUnaryOperator {
        static final String TEXT = "constant";
        @Override public int applyAsInt(int x) {
            String s = TEXT + x;
            java.util.function.IntSupplier length = () -> s.length();
            return length.getAsInt();
        }
    }

    static byte[] loadedBytes;

    static void loading(int n) throws Exception {
        Class<?> c = new Loader().define(loadedBytes);
        check(c != Loaded.class, "loader does not define");
        var f = (java.util.function.IntUnaryOperator) c.getDeclaredConstructor().newInstance();
        check(f.applyAsInt(n % 1000 + 1000) == 12, "loaded class computes wrongly");
    }

    static void threads(int n) throws InterruptedException {
        long[] sum = new long[8];
        Thread[] all = new Thread[8];
        for (int i = 0; i < all.length; i++) {
            int id = i;
            all[i] = new Thread(() -> {
                for (int j = 0; j < 1000; j++) sum[id] += j;
            });
            all[i].start();
        }
        for (Thread t : all) t.join();
        for (long s : sum) check(s == 499500, "thread's work is missing");
    }

    static void references(int n) throws InterruptedException {
        List<byte[]> strong = new ArrayList<>();
        List<WeakReference<byte[]>> weak = new ArrayList<>();
        for (int i = 0; i < 100; i++) {
            byte[] b = new byte[1000];
            b[5] = (byte) i;
            if (i % 4 == 0) strong.add(b);
            weak.add(new WeakReference<>(b));
        }
        if (n % 16 == 0) System.gc();
        for (int i = 0; i < 100; i += 4) {
            byte[] b = strong.get(i / 4);
            check(weak.get(i).get() == b && b[5] == i, "weak cleared too early");
        }
    }

    static void sharing(int n) {
        String key = ("shared " + n % 64).intern();
        check(key == ("shared " + n % 64).intern(), "interned twice");
        shared.put(key, new long[] {n, ~n});
        for (long[] pair : shared.values()) check(pair[0] == ~pair[1], "torn pair");
    }

    static Thread worker(String name, Work work) {
        Thread t = new Thread(() -> {
            try {
                for (int n = 0; !over && failure == null; n++) {
                    work.round(n);
                    rounds.incrementAndGet();
                }
            } catch (Throwable e) {
                failure = e;
            }
        }, name);
        t.start();
        return t;
    }

    public static void main(String[] args) throws Exception {
        long seconds = args.length > 0 ? Long.parseLong(args[0]) : 10;
        try (InputStream in = Soak.class.getResourceAsStream("Soak$Loaded.class")) {
            loadedBytes = in.readAllBytes();
        }
        List<Thread> all = new ArrayList<>();
        all.add(worker("allocation", Soak::allocation));
        all.add(worker("monitors 1", Soak::monitors));
        all.add(worker("monitors 2", Soak::monitors));
        all.add(worker("exceptions", Soak::exceptions));
        all.add(worker("loading", n -> {
            loading(n);
            Thread.sleep(20);  // classes live as long as the process
        }));
        all.add(worker("threads", Soak::threads));
        all.add(worker("references", Soak::references));
        all.add(worker("sharing", Soak::sharing));
        long end = System.nanoTime() + seconds * 1_000_000_000L;
        while (System.nanoTime() < end && failure == null) Thread.sleep(100);
        over = true;
        for (Thread t : all) t.join();
        if (failure != null) failure.printStackTrace();
        System.out.println(failure == null && rounds.get() > 0 ? "soak ok" : "soak failed");
        System.err.println(rounds + " rounds");
        System.exit(failure == null ? 0 : 1);
    }
}
