import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Threads that change their carriers all the time: they pass tokens through short queues, yield, throw, wait for monitors
 * and end, while others start. How often which method is called from where is the same in every run.
 */
public class ExactMovers {
    static final int RINGS = 6, SEATS = 5, TOKENS = 40;
    static int taken;
    int field;

    static final class Late extends RuntimeException {
        Late() { super(null, null, false, false); }
    }

    static int fib(int n) { return n < 2 ? n : fib(n - 1) + fib(n - 2); }

    static void fails(int n) {
        if (n % 3 == 0) throw new Late();
        fib(n % 7);
    }

    int work(int n) {
        int sum = 0;
        for (int i = 0; i < n % 50; i++) {
            field += i;
            sum += i % 3 == 0 ? fib(i % 6) : field;
        }
        try {
            fails(n);
        } catch (Late e) {
            sum++;
        }
        return sum;
    }

    static synchronized void guarded() {
        taken++;
        if (taken % 4 == 0) fib(5);
    }

    static void pass(ExactMovers m, ArrayBlockingQueue<Integer> from, ArrayBlockingQueue<Integer> to) {
        try {
            for (int i = 0; i < TOKENS; i++) {
                int token = from.take();
                m.work(token + i);
                guarded();
                if (i % 5 == 0) Thread.yield();
                to.put(token);
            }
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
    }

    static void shortLived(int n, AtomicInteger ended) {
        fib(n % 9);
        ended.incrementAndGet();
    }

    public static void main(String[] args) throws Exception {
        Thread[] threads = new Thread[RINGS * SEATS];
        for (int r = 0; r < RINGS; r++) {
            ArrayBlockingQueue<Integer>[] seats = queues();
            for (int s = 0; s < SEATS; s++) {
                ArrayBlockingQueue<Integer> from = seats[s], to = seats[(s + 1) % SEATS];
                from.put(10 * r + s);
                threads[r * SEATS + s] = new Thread(() -> pass(new ExactMovers(), from, to));
            }
        }
        for (Thread t : threads) t.start();
        AtomicInteger ended = new AtomicInteger();
        Thread[] more = new Thread[300];
        for (int i = 0; i < more.length; i++) {
            int n = i;
            more[i] = new Thread(() -> shortLived(n, ended));
            more[i].start();
            if (i % 4 == 0) more[i].join();
        }
        for (Thread t : more) t.join();
        for (Thread t : threads) t.join();
        System.out.println("taken " + taken + ", ended " + ended);
    }

    @SuppressWarnings("unchecked")
    static ArrayBlockingQueue<Integer>[] queues() {
        ArrayBlockingQueue<Integer>[] all = new ArrayBlockingQueue[SEATS];
        for (int i = 0; i < SEATS; i++) all[i] = new ArrayBlockingQueue<>(SEATS);
        return all;
    }
}
