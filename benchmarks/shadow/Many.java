import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.util.concurrent.atomic.AtomicLong;

/** Runs a kernel of benchmarks/kernels in several threads; prints each round's wall time and processor time in ns. */
public class Many {
    static final ThreadMXBean times = ManagementFactory.getThreadMXBean();
    static final AtomicLong used = new AtomicLong();

    static void work(String kernel) {
        long begin = times.getCurrentThreadCpuTime();
        Kernels.main(new String[] {kernel, "1"});
        used.addAndGet(times.getCurrentThreadCpuTime() - begin);
    }

    public static void main(String[] args) throws InterruptedException {
        int threads = Integer.parseInt(args[1]);
        PrintStream out = System.out;
        System.setOut(new PrintStream(new ByteArrayOutputStream()));
        for (int round = 0; round < Integer.parseInt(args[2]); round++) {
            long begin = System.nanoTime();
            Thread[] others = new Thread[threads - 1];
            for (int i = 0; i < others.length; i++) {
                others[i] = new Thread(() -> work(args[0]));
                others[i].start();
            }
            work(args[0]);
            for (Thread t : others) t.join();
            out.println("round " + (System.nanoTime() - begin) + " " + used.getAndSet(0));
        }
    }
}
