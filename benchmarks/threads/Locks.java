import java.util.concurrent.ForkJoinPool;
import java.util.concurrent.RecursiveTask;
import java.util.concurrent.locks.ReentrantLock;

/** The cost of profiles of threads and locks: the lowest time of many rounds (at least 1.5 s), in ns per operation. */
public class Locks {
    static final Object lock = new Object();
    static final ReentrantLock own = new ReentrantLock();
    static int n;

    static synchronized void step() { n++; }

    static void block(int k) { for (int i = 0; i < k; i++) synchronized (lock) { n++; } }
    static void method(int k) { for (int i = 0; i < k; i++) step(); }
    static void owner(int k) { for (int i = 0; i < k; i++) { own.lock(); try { n++; } finally { own.unlock(); } } }

    static class Sum extends RecursiveTask<Long> {
        final int low, high;
        Sum(int low, int high) { this.low = low; this.high = high; }
        protected Long compute() {
            if (high - low <= 20000) {
                long s = 0;
                for (int i = low; i < high; i++) s += i ^ s >> 3;
                return s;
            }
            Sum left = new Sum(low, (low + high) / 2), right = new Sum((low + high) / 2, high);
            left.fork();
            return right.compute() + left.join();
        }
    }

    static void forkjoin(int k) { n += ForkJoinPool.commonPool().invoke(new Sum(0, k)); }

    interface Round { void run(int k); }

    static void measure(String name, int k, Round r) {
        long least = Long.MAX_VALUE;
        long begin = System.nanoTime();
        for (int i = 0; i < 60 || System.nanoTime() - begin < 1500000000L; i++) {
            long t = System.nanoTime();
            r.run(k);
            least = Math.min(least, System.nanoTime() - t);
        }
        System.out.printf("%s %.3f%n", name, (double) least / k);
    }

    public static void main(String[] args) {
        measure("monitor", 200000, Locks::block);
        measure("synchronized-method", 200000, Locks::method);
        measure("ReentrantLock", 200000, Locks::owner);
        measure("fork-join", 4000000, Locks::forkjoin);
    }
}
