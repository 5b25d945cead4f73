import java.io.FileOutputStream;
import java.io.IOException;

// Writes to a file on a full disk, repeatedly. Arguments: the file, the duration in milliseconds.
public class Full {
    public static void main(String[] args) throws Exception {
        long end = System.nanoTime() + Long.parseLong(args[1]) * 1_000_000;
        int refused = 0, rounds = 0;
        for (; System.nanoTime() < end; rounds++) {
            try (FileOutputStream out = new FileOutputStream(args[0])) {
                for (int i = 0; i < 64; i++) out.write(new byte[4096]);
            } catch (IOException e) {
                if (e.getMessage().equals("No space left on device")) refused++;
            }
        }
        System.out.println(refused == rounds && rounds > 0 ? "full" : "refused " + refused + " of " + rounds);
    }
}
