import java.util.*;

// Four threads that run for different times: two of them sort, two compute.
public class Load {
    static long sink;

    static long hash(int n) {
        long h = 7;
        for (int i = 0; i < n; i++) h = h * 31 + i;
        return h;
    }

    static void sort(int n) {
        List<Integer> list = new ArrayList<>();
        Random random = new Random(n);
        for (int i = 0; i < n; i++) list.add(random.nextInt());
        Collections.sort(list);
        sink += list.get(0);
    }

    static void work(int number) {
        long end = System.nanoTime() + (4 + 2 * number) * 100_000_000L;
        while (System.nanoTime() < end) {
            if (number % 2 == 0) sink += hash(20000);
            else sort(2000);
        }
    }

    public static void main(String[] args) throws InterruptedException {
        Thread[] threads = new Thread[4];
        for (int i = 0; i < 4; i++) {
            int number = i;
            threads[i] = new Thread(() -> work(number), "worker-" + i);
            threads[i].start();
        }
        Thread.sleep(100);
        System.gc();
        for (Thread t : threads) t.join();
    }
}
