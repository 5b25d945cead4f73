// Concurrent class initialisation: it runs once, the other threads wait, and the initialising thread does not deadlock.
import java.util.concurrent.*;
import java.util.concurrent.atomic.AtomicInteger;

public class Init_classRace {
    static final AtomicInteger inits = new AtomicInteger();

    static class Slow {
        static final int V;
        static {
            inits.incrementAndGet();
            try { Thread.sleep(30); } catch (InterruptedException e) { }
            V = self() + 1;
        }
        static int self() { return 41; }
    }

    static class Broken {
        static { if (inits.incrementAndGet() > 0) throw new IllegalStateException("broken"); }
        static int v;
    }

    enum Single { ONE; final int id = inits.incrementAndGet(); }

    public static void main(String[] args) throws Exception {
        ExecutorService ex = Executors.newFixedThreadPool(4);
        CountDownLatch start = new CountDownLatch(1);
        Future<?>[] fs = new Future<?>[8];
        for (int i = 0; i < 8; i++) {
            int k = i;
            fs[i] = ex.submit(() -> {
                if (k < 4) start.countDown();
                start.await();
                return k % 2 == 0 ? Slow.V : Single.ONE.ordinal() + Slow.V;
            });
        }
        int sum = 0;
        for (Future<?> f : fs) sum += (Integer) f.get();
        System.out.println(sum + " " + inits.get());
        int eiie = 0, ncdfe = 0;
        Future<?>[] bs = new Future<?>[6];
        for (int i = 0; i < 6; i++) bs[i] = ex.submit(() -> Broken.v);
        for (Future<?> b : bs) {
            try {
                b.get();
            } catch (ExecutionException e) {
                if (e.getCause() instanceof ExceptionInInitializerError) eiie++;
                else if (e.getCause() instanceof NoClassDefFoundError) ncdfe++;
            }
        }
        System.out.println(eiie + " " + ncdfe + " " + inits.get());
        ex.shutdown();
    }
}
