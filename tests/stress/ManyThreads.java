import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;

/** Many live threads at once, which all allocate, contend for a monitor and overflow their stacks. */
public class ManyThreads {
    static int depth(int n) {
        return 1 + depth(n + 1);
    }

    static int counter;

    static synchronized void count() {
        counter++;
    }

    public static void main(String[] args) throws Exception {
        int n = Integer.parseInt(args[0]);
        CountDownLatch started = new CountDownLatch(n), go = new CountDownLatch(1);
        AtomicInteger overflows = new AtomicInteger();
        Thread[] all = new Thread[n];
        for (int i = 0; i < n; i++) {
            int id = i;
            all[i] = new Thread(null, () -> {
                started.countDown();
                try {
                    go.await();
                } catch (InterruptedException e) {
                    return;
                }
                for (int j = 0; j < 20; j++) count();
                StringBuilder text = new StringBuilder();
                for (int j = 0; j < 50; j++) text.append(id);
                if (text.length() != 50 * Integer.toString(id).length()) throw new AssertionError();
                try {
                    depth(0);
                } catch (StackOverflowError e) {
                    overflows.incrementAndGet();
                }
            }, "many-" + i, 256 << 10);
            all[i].start();
        }
        started.await();
        System.gc();
        go.countDown();
        for (Thread t : all) t.join();
        boolean ok = counter == 20 * n && overflows.get() == n;
        System.out.println(n + " threads " + (ok ? "ok" : "failed: " + counter + " " + overflows));
        System.exit(ok ? 0 : 1);
    }
}
