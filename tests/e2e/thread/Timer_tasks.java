// java.util.Timer: one-shot, repeating, cancel, daemon timers; scheduled order.
import java.util.*;
import java.util.concurrent.*;

public class Timer_tasks {
    public static void main(String[] args) throws Exception {
        Timer t = new Timer("clock", true);
        BlockingQueue<String> q = new LinkedBlockingQueue<>();
        // The timer is busy until both are scheduled, so that their order does not depend on speed.
        CountDownLatch known = new CountDownLatch(1);
        t.schedule(task(() -> { try { known.await(); } catch (InterruptedException e) { } }), 0);
        long now = System.currentTimeMillis();
        t.schedule(task(() -> q.add("late")), new Date(now + 60));
        t.schedule(task(() -> q.add("early")), new Date(now + 5));
        known.countDown();
        System.out.println(q.take() + " " + q.take());
        int[] n = {0};
        CountDownLatch done = new CountDownLatch(1);
        t.schedule(new TimerTask() {
            @Override public void run() {
                if (++n[0] == 4) { cancel(); done.countDown(); }
            }
        }, 1, 2);
        done.await();
        System.out.println(n[0]);
        TimerTask c = task(() -> q.add("never"));
        Timer quiet = new Timer(true);
        quiet.schedule(c, 100_000_000);
        // In the timer's thread, which might otherwise remove the cancelled task first.
        quiet.schedule(task(() -> q.add(c.cancel() + " " + c.cancel() + " " + quiet.purge())), 1);
        System.out.println(q.take());
        try {
            t.schedule(c, 1);
        } catch (IllegalStateException e) {
            System.out.println(e.getMessage());
        }
        t.cancel();
        try {
            t.schedule(task(() -> { }), 1);
        } catch (IllegalStateException e) {
            System.out.println(e.getMessage());
        }
        System.out.println(q.size());
    }

    static TimerTask task(Runnable r) {
        return new TimerTask() { @Override public void run() { r.run(); } };
    }
}
