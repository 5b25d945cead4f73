import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/** Keeps 64 MB and prints whether memory of the process is marked for huge pages within the given number of seconds. */
public class Pages {
    private static boolean marked() throws IOException {
        for (String line : Files.readAllLines(Path.of("/proc/self/smaps")))
            if (line.startsWith("VmFlags:") && (line + " ").contains(" hg ")) return true;
        return false;
    }

    public static void main(String[] args) throws Exception {
        byte[][] kept = new byte[64][1 << 20];
        long end = System.nanoTime() + Long.parseLong(args[0]) * 1_000_000_000L;
        boolean found = marked();
        while (!found && System.nanoTime() < end) {
            Thread.sleep(20);
            found = marked();
        }
        System.out.println(kept.length + " " + found);
    }
}
