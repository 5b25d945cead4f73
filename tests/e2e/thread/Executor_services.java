// Thread pools, scheduled pools, invokeAll/Any, futures, rejection, cancellation, fork-join.
import java.util.*;
import java.util.concurrent.*;
import java.util.concurrent.atomic.*;

public class Executor_services {
    static class Fib extends RecursiveTask<Integer> {
        final int n;
        Fib(int n) { this.n = n; }
        @Override protected Integer compute() {
            if (n < 5) return n < 2 ? n : new Fib(n - 1).compute() + new Fib(n - 2).compute();
            Fib a = new Fib(n - 1);
            a.fork();
            return new Fib(n - 2).compute() + a.join();
        }
    }

    public static void main(String[] args) throws Exception {
        ExecutorService ex = Executors.newFixedThreadPool(3);
        List<Future<Integer>> fs = new ArrayList<>();
        for (int i = 0; i < 20; i++) { int k = i; fs.add(ex.submit(() -> k * k)); }
        int sum = 0;
        for (Future<Integer> f : fs) sum += f.get();
        System.out.println(sum);
        Future<?> bad = ex.submit(() -> { throw new IllegalStateException("task"); });
        try {
            bad.get();
        } catch (ExecutionException e) {
            System.out.println(e.getMessage() + " | " + e.getCause());
        }
        List<Callable<String>> cs = List.of(() -> "a", () -> "b", () -> "c");
        StringBuilder sb = new StringBuilder();
        for (Future<String> f : ex.invokeAll(cs)) sb.append(f.get());
        System.out.println(sb + " " + "abc".contains(ex.invokeAny(cs)));
        CountDownLatch never = new CountDownLatch(1);
        Future<?> stuck = ex.submit(() -> { never.await(); return null; });
        try {
            stuck.get(20, TimeUnit.MILLISECONDS);
        } catch (TimeoutException e) {
            System.out.println("timeout");
        }
        System.out.println(stuck.cancel(true) + " " + stuck.isCancelled() + " " + stuck.isDone());
        try {
            stuck.get();
        } catch (CancellationException e) {
            System.out.println("cancelled");
        }
        ex.shutdown();
        System.out.println(ex.awaitTermination(1, TimeUnit.MINUTES) + " " + ex.isTerminated());
        try {
            ex.submit(() -> 1);
        } catch (RejectedExecutionException e) {
            System.out.println("rejected");
        }
        ScheduledExecutorService s = Executors.newScheduledThreadPool(1);
        AtomicInteger ticks = new AtomicInteger();
        CountDownLatch five = new CountDownLatch(5);
        ScheduledFuture<?> p = s.scheduleAtFixedRate(() -> { ticks.incrementAndGet(); five.countDown(); }, 1, 2, TimeUnit.MILLISECONDS);
        five.await();
        p.cancel(false);
        System.out.println((ticks.get() >= 5) + " " + s.schedule(() -> "later", 5, TimeUnit.MILLISECONDS).get() + " " + s.shutdownNow().size());
        System.out.println(new ForkJoinPool(2).invoke(new Fib(15)) + " " + ForkJoinPool.commonPool().invoke(new Fib(12)));
        ThreadPoolExecutor tp = new ThreadPoolExecutor(1, 1, 1, TimeUnit.SECONDS, new ArrayBlockingQueue<>(1), new ThreadPoolExecutor.CallerRunsPolicy());
        CountDownLatch hold = new CountDownLatch(1);
        tp.execute(() -> { try { hold.await(); } catch (InterruptedException e) { } });
        tp.execute(() -> { });
        String[] who = new String[1];
        tp.execute(() -> who[0] = Thread.currentThread().getName());
        hold.countDown();
        tp.shutdown();
        tp.awaitTermination(1, TimeUnit.MINUTES);
        System.out.println(who[0] + " " + tp.getCompletedTaskCount());
        ExecutorService single = Executors.newSingleThreadExecutor(r -> new Thread(r, "custom"));
        System.out.println(single.submit(() -> Thread.currentThread().getName()).get());
        single.shutdown();
        ExecutorCompletionService<Integer> ecs = new ExecutorCompletionService<>(ForkJoinPool.commonPool());
        for (int i = 1; i <= 4; i++) { int k = i; ecs.submit(() -> k); }
        int product = 1;
        for (int i = 0; i < 4; i++) product *= ecs.take().get();
        System.out.println(product);
    }
}
