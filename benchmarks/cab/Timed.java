import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;

/** Runs a kernel of benchmarks/kernels and prints for each iteration wall time and the thread's own processor time, in ns. */
public class Timed {
    public static void main(String[] args) {
        ThreadMXBean threads = ManagementFactory.getThreadMXBean();
        PrintStream out = System.out;
        for (int i = 0; i < Integer.parseInt(args[1]); i++) {
            System.setOut(new PrintStream(new ByteArrayOutputStream()));
            long cpu = threads.getCurrentThreadCpuTime(), wall = System.nanoTime();
            Kernels.main(new String[] {args[0], "1"});
            cpu = threads.getCurrentThreadCpuTime() - cpu;
            wall = System.nanoTime() - wall;
            System.setOut(out);
            out.println("iteration " + wall + " " + cpu);
        }
    }
}
