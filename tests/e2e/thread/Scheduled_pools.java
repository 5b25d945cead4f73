// ScheduledThreadPoolExecutor and ThreadPoolExecutor: order by delay, periodic tasks, rejection policies, hooks, shutdown rules.
import java.util.*;
import java.util.concurrent.*;
import java.util.concurrent.atomic.*;

public class Scheduled_pools {
    public static void main(String[] args) throws Exception {
        ScheduledThreadPoolExecutor s = new ScheduledThreadPoolExecutor(1);
        List<String> log = Collections.synchronizedList(new ArrayList<>());
        s.schedule(() -> log.add("third"), 1000, TimeUnit.MILLISECONDS);
        s.schedule(() -> log.add("first"), 5, TimeUnit.MILLISECONDS);
        ScheduledFuture<String> second = s.schedule(() -> { log.add("second"); return "result"; }, 30, TimeUnit.MILLISECONDS);
        System.out.println(second.get() + " " + second.isDone());
        CountDownLatch three = new CountDownLatch(3);
        ScheduledFuture<?> rate = s.scheduleAtFixedRate(three::countDown, 0, 2, TimeUnit.MILLISECONDS);
        three.await();
        System.out.println(rate.cancel(false) + " " + rate.isCancelled());
        AtomicInteger runs = new AtomicInteger();
        ScheduledFuture<?> fails = s.scheduleWithFixedDelay(() -> { if (runs.incrementAndGet() == 2) throw new IllegalStateException("stop"); }, 0, 1, TimeUnit.MILLISECONDS);
        try { fails.get(); } catch (ExecutionException e) { System.out.println(e.getCause().getMessage() + " " + runs.get()); }
        ScheduledFuture<?> later = s.schedule(() -> log.add("never"), 1, TimeUnit.HOURS);
        s.setExecuteExistingDelayedTasksAfterShutdownPolicy(true);
        System.out.println(later.getDelay(TimeUnit.MINUTES) + " " + later.cancel(false));
        s.shutdown();
        System.out.println(s.awaitTermination(5, TimeUnit.SECONDS) + " " + log);
        for (RejectedExecutionHandler h : new RejectedExecutionHandler[]{new ThreadPoolExecutor.AbortPolicy(), new ThreadPoolExecutor.CallerRunsPolicy(), new ThreadPoolExecutor.DiscardPolicy(), new ThreadPoolExecutor.DiscardOldestPolicy()}) {
            List<String> ran = Collections.synchronizedList(new ArrayList<>());
            CountDownLatch hold = new CountDownLatch(1);
            ThreadPoolExecutor p = new ThreadPoolExecutor(1, 1, 1, TimeUnit.SECONDS, new ArrayBlockingQueue<>(1), r -> new Thread(r, "worker"), h) {
                @Override protected void afterExecute(Runnable r, Throwable t) { ran.add("after"); }
                @Override protected void terminated() { ran.add("terminated"); }
            };
            p.execute(() -> { try { hold.await(); } catch (InterruptedException e) { } });
            p.execute(() -> ran.add("queued on " + Thread.currentThread().getName()));
            try { p.execute(() -> ran.add("extra on " + Thread.currentThread().getName())); } catch (RejectedExecutionException e) { ran.add("rejected"); }
            hold.countDown();
            p.shutdown();
            p.awaitTermination(5, TimeUnit.SECONDS);
            System.out.println(h.getClass().getSimpleName() + " " + ran + " " + p.getCompletedTaskCount() + " " + p.getLargestPoolSize());
        }
        ExecutorService e = Executors.newFixedThreadPool(1);
        CountDownLatch started = new CountDownLatch(1);
        Future<?> f = e.submit(() -> { started.countDown(); try { Thread.sleep(60_000); } catch (InterruptedException x) { log.add("interrupted"); } });
        Future<?> waiting = e.submit(() -> log.add("never"));
        started.await();
        System.out.println(e.shutdownNow().size() + " " + e.awaitTermination(5, TimeUnit.SECONDS) + " " + log.contains("interrupted") + " " + waiting.isDone());
    }
}
