import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.util.TreeSet;

/** Runs until a thread of the process has the given nice value, then prints the nice values of all threads. */
public final class Nice {
    private static int work(int n) {
        int sum = n;
        for (int i = 0; i < 1000; i++) sum = sum * 31 + (i ^ n);
        return sum;
    }

    private static TreeSet<Integer> values() throws IOException {
        TreeSet<Integer> found = new TreeSet<>();
        for (File task : new File("/proc/self/task").listFiles()) {
            String stat = Files.readString(task.toPath().resolve("stat"));
            found.add(Integer.parseInt(stat.substring(stat.lastIndexOf(')') + 2).split(" ")[16]));
        }
        return found;
    }

    public static void main(String[] args) throws IOException {
        int wanted = Integer.parseInt(args[0]), sum = 0;
        long end = System.nanoTime() + 60_000_000_000L;
        TreeSet<Integer> found;
        do {
            for (int i = 0; i < 1000; i++) sum += work(i);
            found = values();
        } while (!found.contains(wanted) && System.nanoTime() < end);
        System.out.println(found + (sum == 1 ? "!" : ""));
    }
}
