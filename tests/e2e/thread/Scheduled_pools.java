// ScheduledThreadPoolExecutor and ThreadPoolExecutor: order by delay, periodic tasks, rejection, hooks, shutdown.
import java.util.*;
import java.util.concurrent.*;
import java.util.concurrent.atomic.*;

public class Scheduled_pools {
    public static void main(String[] args) throws Exception {
        ScheduledThreadPoolExecutor s;
        ScheduledFuture<String> second;
        List<String> log = Collections.synchronizedList(new ArrayList<>());
        Runnable adds1 = () -> log.add("first"), adds3 = () -> log.add("third");
        Callable<String> adds2 = () -> { log.add("second"); return "result"; };
        for (int ms = 500; ; ms *= 2) {
            s = new ScheduledThreadPoolExecutor(1);
            long began = System.nanoTime();
            s.schedule(adds3, ms, TimeUnit.MILLISECONDS);
            s.schedule(adds1, 5, TimeUnit.MILLISECONDS);
            second = s.schedule(adds2, 30, TimeUnit.MILLISECONDS);
            if ((System.nanoTime() - began) / 1_000_000 < ms - 100) break;
            // The third may have been due before the others were scheduled: retry with more time.
            s.shutdownNow();
            s.awaitTermination(1, TimeUnit.MINUTES);
            log.clear();
        }
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
        System.out.println(s.awaitTermination(1, TimeUnit.MINUTES) + " " + log);
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
            p.awaitTermination(1, TimeUnit.MINUTES);
            System.out.println(h.getClass().getSimpleName() + " " + ran + " " + p.getCompletedTaskCount() + " " + p.getLargestPoolSize());
        }
        ExecutorService e = Executors.newFixedThreadPool(1);
        CountDownLatch started = new CountDownLatch(1);
        Future<?> f = e.submit(() -> { started.countDown(); try { Thread.sleep(60_000); } catch (InterruptedException x) { log.add("interrupted"); } });
        Future<?> waiting = e.submit(() -> log.add("never"));
        started.await();
        System.out.println(e.shutdownNow().size() + " " + e.awaitTermination(1, TimeUnit.MINUTES) + " " + log.contains("interrupted") + " " + waiting.isDone());
    }
}
