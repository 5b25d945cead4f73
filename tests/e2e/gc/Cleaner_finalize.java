// Finalizers, resurrection, Cleaner actions: most objects are processed, each exactly once.
import java.lang.ref.Cleaner;
import java.util.concurrent.atomic.*;

public class Cleaner_finalize {
    static final AtomicInteger finalized = new AtomicInteger(), twice = new AtomicInteger(), cleaned = new AtomicInteger();
    static volatile Object rescued;
    static final int N = 300;

    @SuppressWarnings("removal")
    static class Fin {
        final int id;
        int times;
        Fin(int id) { this.id = id; }
        @Override protected void finalize() {
            if (++times > 1) twice.incrementAndGet();
            finalized.incrementAndGet();
            if (id == 7) rescued = this;
            if (id == 8) throw new RuntimeException("ignored");
        }
    }

    static class Res implements AutoCloseable {
        static final Cleaner CLEANER = Cleaner.create();
        final Cleaner.Cleanable c = CLEANER.register(this, cleaned::incrementAndGet);
        @Override public void close() { c.clean(); }
    }

    static void make() { for (int i = 0; i < N; i++) new Fin(i); }
    static void leak() { for (int i = 0; i < N; i++) new Res(); }
    static int fill(int n) { return n == 0 ? 0 : new long[n % 7 + 1].length + fill(n - 1); }

    static boolean settle(AtomicInteger a) throws Exception {
        for (int i = 0; i < 1000 && a.get() < N * 9 / 10; i++) { fill(200); System.gc(); System.runFinalization(); Thread.sleep(5); }
        return a.get() >= N * 9 / 10;
    }

    public static void main(String[] args) throws Exception {
        make();
        System.out.println("finalized " + settle(finalized) + " at most " + (finalized.get() <= N) + " twice " + twice);
        System.out.println("rescued usable " + (rescued == null || ((Fin) rescued).id == 7));
        rescued = null;
        System.gc();
        System.runFinalization();
        System.out.println("not again " + twice);
        try (Res r = new Res()) { r.close(); r.close(); }
        System.out.println("explicit " + cleaned);
        cleaned.set(0);
        leak();
        System.out.println("cleaned " + settle(cleaned) + " at most " + (cleaned.get() <= N));
    }
}
