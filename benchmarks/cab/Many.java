import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.CountDownLatch;

/**
 * Green threads for benchmarks/cab/rings.
 *   parked N       N threads make some calls and then live until all have; prints their resident memory
 *   passing N      N threads in rings of 10 pass tokens, and compute in between
 *   computing N    N threads compute, and lose their processors to the clock alone
 */
public class Many {
    static int fib(int n) { return n < 2 ? n : fib(n - 1) + fib(n - 2); }

    static Thread thread(Runnable r) { return new Thread(null, r, "t", 64 << 10); }

    static void parked(int n) throws Exception {
        CountDownLatch called = new CountDownLatch(n), all = new CountDownLatch(1);
        Thread[] threads = new Thread[n];
        for (int i = 0; i < n; i++) {
            threads[i] = thread(() -> {
                fib(8);
                called.countDown();
                try {
                    all.await();
                } catch (InterruptedException e) {
                    throw new AssertionError(e);
                }
            });
            threads[i].start();
        }
        called.await();
        for (String line : Files.readAllLines(Path.of("/proc/self/status")))
            if (line.startsWith("VmRSS")) System.out.println(line.replaceAll("\\D", ""));
        all.countDown();
        for (Thread t : threads) t.join();
    }

    static void pass(int rounds, ArrayBlockingQueue<Integer> from, ArrayBlockingQueue<Integer> to) {
        try {
            for (int i = 0; i < rounds; i++) {
                int token = from.take();
                fib(token % 12);
                to.put(token + 1);
            }
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
    }

    static void passing(int n) throws Exception {
        int seats = 10, rounds = 1_000_000 / n;
        Thread[] threads = new Thread[n / seats * seats];
        for (int i = 0; i < threads.length; i += seats) {
            ArrayBlockingQueue<?>[] queues = new ArrayBlockingQueue<?>[seats];
            for (int s = 0; s < seats; s++) queues[s] = new ArrayBlockingQueue<Integer>(seats);
            for (int s = 0; s < seats; s++) {
                @SuppressWarnings("unchecked")
                ArrayBlockingQueue<Integer> from = (ArrayBlockingQueue<Integer>) queues[s],
                                            to = (ArrayBlockingQueue<Integer>) queues[(s + 1) % seats];
                from.put(s);
                threads[i + s] = thread(() -> pass(rounds, from, to));
            }
        }
        for (Thread t : threads) t.start();
        for (Thread t : threads) t.join();
    }

    static void computing(int n) throws Exception {
        Thread[] threads = new Thread[n];
        for (int i = 0; i < n; i++) threads[i] = thread(() -> {
            for (int k = 0; k < 20000 / n; k++) fib(18);
        });
        for (Thread t : threads) t.start();
        for (Thread t : threads) t.join();
    }

    public static void main(String[] args) throws Exception {
        int n = Integer.parseInt(args[1]);
        if (args[0].equals("parked")) parked(n);
        else if (args[0].equals("passing")) passing(n);
        else computing(n);
    }
}
