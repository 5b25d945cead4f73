import java.lang.management.ManagementFactory;
import java.lang.management.ThreadInfo;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** Threads that report events of many kinds while others collect; in tests/run/events.py their sinks wait. */
public class Waiting {
    static final int WORKERS = 3;
    int field;
    static volatile boolean done;

    synchronized int locked(int n) { return field += n; }

    static int work(int seed, int rounds) {
        Waiting w = new Waiting();
        int[] a = new int[16];
        Object[] kept = new Object[8];
        int sum = seed;
        for (int i = 0; i < rounds; i++) {
            a[i & 15] += i ^ sum;
            kept[i & 7] = new int[] {i, sum};
            int[] old = (int[]) kept[(i + 3) & 7];
            if (old != null) sum = sum * 31 + old[0] + old[1];
            sum += w.locked(a[(i * 7) & 15]) ^ w.field;
            long[][] grid = new long[2][3];
            grid[1][2] = sum;
            sum += (int) grid[1][2] & 3;
            switch (sum & 3) {
                case 0: sum++; break;
                case 1: sum ^= seed; break;
                default: sum -= 2;
            }
        }
        return sum;
    }

    static boolean seen(String name) throws Exception {
        for (Thread t : Thread.getAllStackTraces().keySet()) if (t.getName().contains(name)) return true;
        for (ThreadInfo t : ManagementFactory.getThreadMXBean().dumpAllThreads(false, false))
            if (t.getThreadName().contains(name)) return true;
        return false;
    }

    static boolean ofTheSystem(String name) throws Exception {
        List<Path> tasks = new ArrayList<>();
        try (var stream = Files.newDirectoryStream(Path.of("/proc/self/task"))) { stream.forEach(tasks::add); }
        for (Path task : tasks)
            if (Files.readString(task.resolve("comm")).strip().equals(name)) return true;
        return false;
    }

    public static void main(String[] args) throws Exception {
        int rounds = Integer.parseInt(args[0]);
        // The class's mirror is an object too. Created here, because racing workers might each allocate one.
        long[][] first = new long[1][1];
        int[] results = new int[WORKERS];
        Thread[] workers = new Thread[WORKERS];
        for (int i = 0; i < WORKERS; i++) {
            int n = i;
            workers[i] = new Thread(() -> results[n] = work(n, rounds));
            workers[i].start();
        }
        Thread collector = new Thread(() -> { while (!done) System.gc(); });
        collector.start();
        if (args.length > 1) {
            System.out.println("java " + seen("handover") + " system " + ofTheSystem("handover"));
            Thread.sleep(300);
            if (args[1].equals("exit")) System.exit(7);
            System.out.println("ready");
        }
        for (Thread t : workers) t.join();
        done = true;
        collector.join();
        for (int r : results) System.out.println(r);
    }
}
