// Blocking queues: array, linked, priority, delay, synchronous, transfer; poison pills; drain.
import java.util.*;
import java.util.concurrent.*;

public class Blocking_queues {
    record Later(String n, long at) implements Delayed {
        public long getDelay(TimeUnit u) { return u.convert(at - System.nanoTime(), TimeUnit.NANOSECONDS); }
        public int compareTo(Delayed o) { return Long.compare(at, ((Later) o).at); }
    }

    public static void main(String[] args) throws Exception {
        for (BlockingQueue<Integer> q : List.of(new ArrayBlockingQueue<Integer>(4), new LinkedBlockingQueue<Integer>(3), new SynchronousQueue<Integer>(), new LinkedTransferQueue<Integer>(), new LinkedBlockingDeque<Integer>(2))) {
            Thread p = new Thread(() -> { try { for (int i = 1; i <= 200; i++) q.put(i); q.put(-1); } catch (InterruptedException e) { } });
            p.start();
            long sum = 0;
            boolean ordered = true;
            int last = 0;
            for (int v; (v = q.take()) != -1; last = v) { sum += v; ordered &= v == last + 1; }
            p.join();
            System.out.println(q.getClass().getSimpleName() + " " + sum + " " + ordered + " " + q.isEmpty());
        }
        ArrayBlockingQueue<String> a = new ArrayBlockingQueue<>(2);
        System.out.println(a.offer("x") + " " + a.offer("y") + " " + a.offer("z") + " " + a.offer("z", 3, TimeUnit.MILLISECONDS) + " " + a.remainingCapacity() + " " + a.peek());
        try {
            a.add("w");
        } catch (IllegalStateException e) {
            System.out.println(e.getMessage());
        }
        List<String> drained = new ArrayList<>();
        System.out.println(a.drainTo(drained) + " " + drained + " " + a.poll(2, TimeUnit.MILLISECONDS));
        PriorityBlockingQueue<Integer> pq = new PriorityBlockingQueue<>(4, Comparator.reverseOrder());
        for (int i = 0; i < 20; i++) pq.add(i * 7 % 20);
        System.out.println(pq.take() + " " + pq.take() + " " + pq.size());
        DelayQueue<Later> d = new DelayQueue<>();
        long now = System.nanoTime();
        d.add(new Later("in an hour", now + 3_600_000_000_000L));
        System.out.println(d.poll() == null ? "not yet" : "too early");
        d.add(new Later("second", now + 100_000_000));
        d.add(new Later("first", now + 50_000_000));
        System.out.println(d.take().n() + " " + d.take().n() + " " + (d.poll() == null) + " " + d.size());
    }
}
