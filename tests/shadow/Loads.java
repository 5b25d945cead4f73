import java.nio.file.Files;
import java.nio.file.Path;

// Loads copies of a library one by one, while another thread works. Arguments: the library, a folder, number of copies.
public class Loads {
    static volatile long sink;

    static native int twice(int n);

    public static void main(String[] args) throws Exception {
        Thread busy = new Thread(() -> {
            while (!Thread.interrupted()) sink += Long.toString(sink).hashCode();
        });
        busy.start();
        int copies = Integer.parseInt(args[2]);
        byte[] library = Files.readAllBytes(Path.of(args[0]));
        for (int i = 0; i < copies; i++) {
            Path copy = Path.of(args[1], "lib" + i + ".so");
            Files.write(copy, library);
            System.load(copy.toString());
            Files.delete(copy);
        }
        busy.interrupt();
        busy.join();
        System.out.println("loaded " + copies);
    }
}
