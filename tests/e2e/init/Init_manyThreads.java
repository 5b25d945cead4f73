// Many threads race to initialise chains of classes: each initialiser runs once, and all threads see its writes.
import java.util.concurrent.*;
import java.util.concurrent.atomic.*;

public class Init_manyThreads {
    static final AtomicInteger runs = new AtomicInteger();
    static class R0 { static int[] a = fill(0); }
    static class R1 extends R0 { static int[] b = fill(1); }
    static class R2 extends R1 { static int[] c = fill(2); }
    static class S0 { static int[] a = fill(3); static int sum() { return a[99] + S1.b[99]; } }
    static class S1 { static int[] b = fill(4); }
    enum En { A, B; static final ConcurrentHashMap<String, En> map = new ConcurrentHashMap<>(); static { for (En e : values()) map.put(e.name(), e); runs.incrementAndGet(); } }
    interface In { int[] X = fill(5); default int get() { return X[99]; } }
    static class Im implements In { }
    static int[] fill(int k) { runs.incrementAndGet(); int[] r = new int[100]; for (int i = 0; i < 100; i++) r[i] = i * k; Thread.yield(); return r; }

    public static void main(String[] args) throws Exception {
        int n = 16;
        CyclicBarrier barrier = new CyclicBarrier(n);
        AtomicLong total = new AtomicLong();
        Thread[] ts = new Thread[n];
        for (int i = 0; i < n; i++) {
            int id = i;
            ts[i] = new Thread(() -> {
                try { barrier.await(); } catch (Exception e) { throw new Error(e); }
                long s = 0;
                for (int k = 0; k < 4; k++) {
                    switch ((id + k) % 4) {
                        case 0: s += R2.c[99] + R1.b[99] + R0.a[99]; break;
                        case 1: s += S0.sum(); break;
                        case 2: s += En.map.size(); break;
                        default: s += new Im().get();
                    }
                }
                total.addAndGet(s);
            });
            ts[i].start();
        }
        for (Thread t : ts) t.join();
        System.out.println(runs.get() + " " + total.get());
    }
}
