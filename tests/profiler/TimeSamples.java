import java.util.*;
import java.util.concurrent.CountDownLatch;
import java.util.zip.Deflater;

// Programs whose use of time is known, for tests/run/cpu.py. The first argument selects one.
public class TimeSamples {
    static volatile double sink;

    // ---- shares: equal loops of different lengths ----
    static double share40(int n) { double x = 1; for (int i = 0; i < 4 * n; i++) x = x * 1.0000001 + i; return x; }
    static double share30(int n) { double x = 1; for (int i = 0; i < 3 * n; i++) x = x * 1.0000001 + i; return x; }
    static double share20(int n) { double x = 1; for (int i = 0; i < 2 * n; i++) x = x * 1.0000001 + i; return x; }
    static double share10(int n) { double x = 1; for (int i = 0; i < n; i++) x = x * 1.0000001 + i; return x; }

    static void shares(int rounds, int n) {
        for (int i = 0; i < rounds; i++) sink = share40(n) + share30(n) + share20(n) + share10(n);
    }

    // ---- calls: one method has nine tenths of the time and few calls, another one tenth and many ----
    static double few(int n) { double x = 1; for (int i = 0; i < n; i++) x = x * 1.0000001 + i; return x; }
    static double many(double x, int n) { for (int i = 0; i < n; i++) x = x * 1.0000001 + i; return x; }

    static void calls(int rounds, int n) {
        for (int i = 0; i < rounds; i++) {
            sink = few(9 * n);
            double x = 1;
            for (int k = 0; k < n / 10; k++) x = many(x, 10);
            sink = x;
        }
    }

    // ---- loop: the time is in a loop without calls between two calls ----
    static double before(double x) { return x + 1; }
    static double after(double x) { return x - 1; }

    static double between(int n) {
        double x = before(n);
        for (int i = 0; i < n; i++)
            x = x * 1.0000001 + i;  // the loop
        return after(x);
    }

    static void loop(int rounds, int n) {
        for (int i = 0; i < rounds; i++) sink = between(n);
    }

    // ---- recursion ----
    static int fib(int n) { return n < 2 ? n : fib(n - 1) + fib(n - 2); }

    static void recursion(int rounds, int n) {
        for (int i = 0; i < rounds; i++) sink = fib(n);
    }

    // ---- many short-lived threads ----
    static double brief(int n) { double x = 1; for (int i = 0; i < n; i++) x = x * 1.0000001 + i; return x; }

    static void threads(int count, int n) throws Exception {
        for (int i = 0; i < count; i++) {
            Thread t = new Thread(() -> sink = brief(n));
            t.start();
            t.join();
        }
    }

    // ---- native code ----
    static void compress(int rounds, int n) {
        byte[] in = new byte[n], out = new byte[n + 1000];
        new Random(1).nextBytes(in);
        for (int i = 0; i < rounds; i++) {
            Deflater d = new Deflater(9);
            d.setInput(in);
            d.finish();
            while (!d.finished()) d.deflate(out);
            d.end();
        }
    }

    // ---- functions of the VM and of C's library, which compiled code calls without a stub ----
    static byte[] from = new byte[4096], to = new byte[4096];

    static double sines(int n) { double x = 0; for (int i = 0; i < n; i++) x += Math.sin(i) + i % 3.7; return x; }
    static void copies(int n) { for (int i = 0; i < n; i++) System.arraycopy(from, 0, to, 0, 4096); }
    static double functions(int n) { copies(n); return sines(n); }

    static void leaves(int rounds, int n) {
        for (int i = 0; i < rounds; i++) sink = functions(n);
    }

    // ---- threads that wait ----
    static void nap(long ms) throws Exception { Thread.sleep(ms); }

    static void waiting(int count, int ms) throws Exception {
        CountDownLatch ready = new CountDownLatch(count);
        List<Thread> all = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            Thread t = new Thread(() -> {
                ready.countDown();
                try { nap(ms); } catch (Exception e) { throw new IllegalStateException(e); }
            });
            t.start();
            all.add(t);
        }
        for (Thread t : all) t.join();
    }

    // ---- everything at once ----
    interface Shape { double area(); }
    record Square(double a) implements Shape { public double area() { return a * a; } }
    record Circle(double r) implements Shape { public double area() { return Math.PI * r * r; } }
    record Triangle(double a, double b) implements Shape { public double area() { return a * b / 2; } }

    static int deep(int n) { return n == 0 ? 0 : 1 + deep(n - 1); }
    static int endless(int n) { return endless(n + 1) + 1; }
    static int thrower(int n) { if (n % 7 == 0) throw new IllegalStateException("x" + n); return n; }
    static synchronized int locked(int n) { return n + 1; }

    static void mix(long end, int seed) {
        Random r = new Random(seed);
        Map<Integer, Object> map = new HashMap<>();
        Shape[] shapes = {new Square(1), new Circle(2), new Triangle(1, 2)};
        double sum = 0;
        for (int i = 1; System.nanoTime() < end; i++) {
            sum += deep(r.nextInt(200)) + fib(12) + locked(i);
            for (int j = 0; j < 100; j++) sum += shapes[r.nextInt(3)].area();
            try { sum += thrower(i); } catch (IllegalStateException e) { sum += e.getMessage().length(); }
            map.put(i % 500, new int[i % 100]);
            if (i % 200 == 0) try { endless(0); } catch (StackOverflowError e) { sum++; }
            List<Integer> list = new ArrayList<>();
            for (int j = 0; j < 50; j++) list.add(r.nextInt());
            Collections.sort(list);
            sum += list.stream().mapToInt(x -> x & 3).sum();
            try {
                if (i % 50 == 0) Thread.sleep(1);
                if (i % 100 == 0) { Thread t = new Thread(() -> fib(10)); t.start(); t.join(); }
                if (i % 300 == 0) {  // a class that is unloaded again
                    Runnable p = (Runnable) java.lang.reflect.Proxy.newProxyInstance(
                        new ClassLoader(TimeSamples.class.getClassLoader()) { }, new Class<?>[] {Runnable.class},
                        (self, m, args) -> fib(5));
                    p.run();
                }
            } catch (InterruptedException e) { return; }
            if (seed == 0 && i % 500 == 0) System.gc();
        }
        sink = sum;
    }

    static void storm(int count, int ms) throws Exception {
        long end = System.nanoTime() + ms * 1000000L;
        List<Thread> all = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            int seed = i;
            Thread t = new Thread(() -> mix(end, seed));
            t.start();
            all.add(t);
        }
        for (Thread t : all) t.join();
    }

    public static void main(String[] args) throws Exception {
        int a = Integer.parseInt(args[1]), b = Integer.parseInt(args[2]);
        switch (args[0]) {
            case "shares" -> shares(a, b);
            case "calls" -> calls(a, b);
            case "loop" -> loop(a, b);
            case "recursion" -> recursion(a, b);
            case "threads" -> threads(a, b);
            case "leaves" -> leaves(a, b);
            case "compress" -> compress(a, b);
            case "waiting" -> waiting(a, b);
            case "storm" -> storm(a, b);
            default -> throw new IllegalArgumentException(args[0]);
        }
        System.out.println("done");
    }
}
