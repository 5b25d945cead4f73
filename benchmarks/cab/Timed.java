import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.lang.reflect.Method;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;

/**
 * Timed ITERATIONS[:SECONDS] CLASS[.METHOD] ARGUMENTS: runs a program in this thread and prints for each iteration, in
 * ns: wall time, the thread's processor time, and that of the profiler's consumers. It ends before an iteration, from
 * the third on, when the process has used SECONDS of processor time.
 */
public class Timed {
    /** Processor time of a thread if it is a consumer. */
    private static long consumer(Path task) throws IOException {
        try {
            if (!Files.readString(task.resolve("comm")).startsWith("consumer")) return 0;
            return Long.parseLong(Files.readString(task.resolve("schedstat")).split(" ")[0]);
        } catch (NoSuchFileException e) {
            return 0; // it has ended
        }
    }

    private static long consumers() throws IOException {
        long ns = 0;
        try (DirectoryStream<Path> tasks = Files.newDirectoryStream(Path.of("/proc/self/task"))) {
            for (Path task : tasks) ns += consumer(task);
        }
        return ns;
    }

    /** Seconds of processor time of this process. */
    private static double used() {
        return ((com.sun.management.OperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean()).getProcessCpuTime() / 1e9;
    }

    private static Method find(String name) throws ReflectiveOperationException {
        int dot = name.lastIndexOf('.');
        try {
            return Class.forName(name).getMethod("main", String[].class);
        } catch (ClassNotFoundException e) {
            if (dot < 0) throw e;
            return Class.forName(name.substring(0, dot)).getMethod(name.substring(dot + 1), String[].class);
        }
    }

    public static void main(String[] args) throws Exception {
        ThreadMXBean threads = ManagementFactory.getThreadMXBean();
        PrintStream out = System.out;
        Method program = find(args[1]);
        String[] arguments = java.util.Arrays.copyOfRange(args, 2, args.length), limits = args[0].split(":");
        double seconds = limits.length > 1 ? Double.parseDouble(limits[1]) : Double.POSITIVE_INFINITY;
        for (int i = 0; i < Integer.parseInt(limits[0]) && (i < 2 || used() < seconds); i++) {
            System.setOut(new PrintStream(new ByteArrayOutputStream()));
            long theirs = consumers(), cpu = threads.getCurrentThreadCpuTime(), wall = System.nanoTime();
            program.invoke(null, (Object) arguments.clone());
            cpu = threads.getCurrentThreadCpuTime() - cpu;
            wall = System.nanoTime() - wall;
            theirs = consumers() - theirs;
            System.setOut(out);
            out.println("iteration " + wall + " " + cpu + " " + theirs);
        }
    }
}
