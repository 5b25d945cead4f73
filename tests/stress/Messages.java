import java.util.ArrayDeque;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;

/**
 * Messages THREADS MESSAGES: pairs of threads, all alive at once, exchange that many messages, a third each through
 * monitors, BlockingQueues, and park. Each message is newly allocated.
 */
public class Messages {
    interface Channel {
        void put(Long message) throws InterruptedException;

        Long take() throws InterruptedException;
    }

    static final class MonitorChannel implements Channel {
        private final ArrayDeque<Long> queue = new ArrayDeque<>();

        public synchronized void put(Long message) throws InterruptedException {
            while (queue.size() >= 2) wait();
            queue.add(message);
            notifyAll();
        }

        public synchronized Long take() throws InterruptedException {
            while (queue.isEmpty()) wait();
            Long message = queue.remove();
            notifyAll();
            return message;
        }
    }

    static final class QueueChannel implements Channel {
        private final BlockingQueue<Long> queue = new ArrayBlockingQueue<>(2);

        public void put(Long message) throws InterruptedException {
            queue.put(message);
        }

        public Long take() throws InterruptedException {
            return queue.take();
        }
    }

    static final class ParkChannel implements Channel {
        private volatile Long slot;
        private volatile Thread producer, consumer;

        public void put(Long message) {
            producer = Thread.currentThread();
            while (slot != null) LockSupport.park(this);
            slot = message;
            LockSupport.unpark(consumer);
        }

        public Long take() {
            consumer = Thread.currentThread();
            Long message;
            while ((message = slot) == null) LockSupport.park(this);
            slot = null;
            LockSupport.unpark(producer);
            return message;
        }
    }

    static final AtomicLong sum = new AtomicLong();

    public static void main(String[] args) throws Exception {
        int pairs = Integer.parseInt(args[0]) / 2, each = Integer.parseInt(args[1]) / pairs;
        Thread[] threads = new Thread[2 * pairs];
        CountDownLatch ready = new CountDownLatch(threads.length), go = new CountDownLatch(1);
        for (int i = 0; i < pairs; i++) {
            Channel c = i % 3 == 0 ? new MonitorChannel() : i % 3 == 1 ? new QueueChannel() : new ParkChannel();
            threads[2 * i] = thread(ready, go, () -> {
                for (long n = 0; n < each; n++) c.put(new Long(n));
            });
            threads[2 * i + 1] = thread(ready, go, () -> {
                long mine = 0;
                for (int n = 0; n < each; n++) {
                    long got = c.take();
                    if (got != n) throw new AssertionError(got + " instead of " + n);
                    mine += got;
                }
                sum.addAndGet(mine);
            });
        }
        for (Thread t : threads) t.start();
        ready.await();
        long began = System.nanoTime();
        go.countDown();
        for (Thread t : threads) t.join();
        long want = (long) pairs * each * (each - 1) / 2;
        System.out.println(threads.length + " threads, " + (long) pairs * each + " messages, "
                + (System.nanoTime() - began) / 1000000 + " ms");
        if (sum.get() != want) throw new AssertionError(sum + " instead of " + want);
    }

    interface Body {
        void run() throws Exception;
    }

    static Thread thread(CountDownLatch ready, CountDownLatch go, Body body) {
        return new Thread(() -> {
            try {
                ready.countDown();
                go.await();
                body.run();
            } catch (Throwable e) {
                e.printStackTrace();
                System.exit(1);
            }
        });
    }
}
