// ForkJoinPool: recursive tasks, invokeAll, exceptions, cancellation, CountedCompleter, managed blocking, common pool.
import java.util.*;
import java.util.concurrent.*;
import java.util.concurrent.atomic.*;

public class Fork_join {
    static class Sum extends RecursiveTask<Long> {
        final int[] a; final int lo, hi;
        Sum(int[] a, int lo, int hi) { this.a = a; this.lo = lo; this.hi = hi; }
        @Override protected Long compute() {
            if (hi - lo < 50) { long s = 0; for (int i = lo; i < hi; i++) s += a[i]; return s; }
            int mid = lo + hi >>> 1;
            Sum left = new Sum(a, lo, mid), right = new Sum(a, mid, hi);
            left.fork();
            return right.compute() + left.join();
        }
    }
    static class Fib extends RecursiveTask<Integer> {
        final int n;
        Fib(int n) { this.n = n; }
        @Override protected Integer compute() { if (n < 2) return n; Fib f = new Fib(n - 1); f.fork(); return new Fib(n - 2).invoke() + f.join(); }
    }
    static class Count extends CountedCompleter<Void> {
        final int n; final AtomicInteger hits;
        Count(CountedCompleter<?> p, int n, AtomicInteger hits) { super(p); this.n = n; this.hits = hits; }
        @Override public void compute() { if (n > 1) { setPendingCount(2); new Count(this, n / 2, hits).fork(); new Count(this, n - n / 2, hits).fork(); } else hits.incrementAndGet(); tryComplete(); }
    }

    public static void main(String[] args) throws Exception {
        ForkJoinPool pool = new ForkJoinPool(3);
        int[] a = new Random(1).ints(5000, 0, 100).toArray();
        System.out.println(pool.invoke(new Sum(a, 0, a.length)) == Arrays.stream(a).asLongStream().sum());
        System.out.println(pool.submit(new Fib(14)).get());
        AtomicInteger hits = new AtomicInteger();
        pool.invoke(new Count(null, 100, hits));
        System.out.println(hits.get());
        ForkJoinTask<?> bad = pool.submit(() -> { throw new IllegalArgumentException("in task"); });
        try { bad.get(); } catch (ExecutionException e) { Throwable c = e; while (c.getCause() != null) c = c.getCause(); System.out.println(c); }
        System.out.println(bad.isCompletedAbnormally() + " " + bad.isCompletedNormally() + " " + bad.isDone());
        RecursiveTask<Integer> thrower = new RecursiveTask<>() { @Override protected Integer compute() { throw new ArrayIndexOutOfBoundsException(7); } };
        try { pool.invoke(thrower); } catch (ArrayIndexOutOfBoundsException e) { System.out.println("thrown " + thrower.isCompletedAbnormally()); }
        List<Callable<Integer>> calls = new ArrayList<>();
        for (int i = 0; i < 10; i++) { int k = i; calls.add(() -> k * k); }
        int s = 0;
        for (Future<Integer> f : pool.invokeAll(calls)) s += f.get();
        System.out.println(s + " " + pool.invokeAny(calls.subList(3, 4)));
        ForkJoinTask<Integer> adapted = ForkJoinTask.adapt(() -> 5);
        System.out.println(adapted.cancel(true) + " " + adapted.isCancelled() + " " + adapted.isDone());
        try { adapted.join(); } catch (CancellationException e) { System.out.println("cancelled"); }
        System.out.println(pool.getParallelism() + " " + (ForkJoinPool.commonPool().getParallelism() > 0) + " " + pool.submit(() -> ForkJoinTask.inForkJoinPool()).get() + " " + ForkJoinTask.inForkJoinPool());
        int blocked = pool.submit(() -> { int[] done = {0}; ForkJoinPool.managedBlock(new ForkJoinPool.ManagedBlocker() { public boolean block() { done[0]++; return true; } public boolean isReleasable() { return done[0] > 0; } }); return done[0]; }).get();
        System.out.println(blocked);
        pool.shutdown();
        System.out.println(pool.awaitTermination(1, TimeUnit.MINUTES) + " " + pool.isTerminated());
        try { pool.submit(() -> 1); } catch (RejectedExecutionException e) { System.out.println("rejected"); }
    }
}
