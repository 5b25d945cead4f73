import java.io.BufferedReader;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.RandomAccessFile;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.concurrent.ArrayBlockingQueue;

// Effects that a second process could corrupt: output, input, file positions, files created and deleted, memory-mapped
// files, sockets, shutdown hooks; in three threads. Arguments: a folder, the duration in milliseconds.
public class Effects {
    static volatile long sink;

    static long work(int n) {
        long s = n;
        for (int i = 0; i < 20_000; i++) s = s * 31 + Integer.toString(i).hashCode();
        return s;
    }

    static void files(Path folder, int i) throws IOException {
        Path file = folder.resolve("f" + i % 7), other = folder.resolve("g" + i % 7);
        Files.writeString(file, "round " + i);
        if (!Files.readString(file).equals("round " + i)) throw new IllegalStateException("file");
        Files.move(file, other, java.nio.file.StandardCopyOption.REPLACE_EXISTING);
        if (Files.exists(file)) throw new IllegalStateException("moved");
        Files.delete(other);
    }

    public static void main(String[] args) throws Exception {
        Path folder = Path.of(args[0]);
        long end = System.nanoTime() + Long.parseLong(args[1]) * 1_000_000;
        Runtime.getRuntime().addShutdownHook(new Thread(() -> System.out.println("hook")));
        ArrayBlockingQueue<Integer> queue = new ArrayBlockingQueue<>(3);
        Thread consumer = new Thread(() -> {
            try (FileOutputStream log = new FileOutputStream(folder.resolve("log").toFile(), true)) {
                for (int i; (i = queue.take()) >= 0; ) log.write((i + "\n").getBytes());
            } catch (Exception e) { e.printStackTrace(); }
        });
        Thread busy = new Thread(() -> { while (!Thread.interrupted()) sink += work(3); });
        busy.setDaemon(true);
        consumer.start();
        busy.start();
        BufferedReader in = new BufferedReader(new InputStreamReader(System.in), 16);
        RandomAccessFile counter = new RandomAccessFile(folder.resolve("counter").toFile(), "rw");
        FileChannel mapped = FileChannel.open(folder.resolve("mapped"), StandardOpenOption.CREATE, StandardOpenOption.READ,
            StandardOpenOption.WRITE);
        ByteBuffer map = mapped.map(FileChannel.MapMode.READ_WRITE, 0, 8192);
        int rounds = 0;
        for (; System.nanoTime() < end || rounds < 20; rounds++) {
            counter.seek(0);
            counter.writeInt(rounds);
            counter.seek(0);
            if (counter.readInt() != rounds) throw new IllegalStateException("counter");
            map.putInt(rounds % 1000 * 4, rounds);
            if (map.getInt(rounds % 1000 * 4) != rounds) throw new IllegalStateException("map");
            files(folder, rounds);
            queue.put(rounds);
            if (!("line " + rounds).equals(in.readLine())) throw new IllegalStateException("input at " + rounds);
            sink += work(rounds);
        }
        queue.put(-1);
        consumer.join();
        busy.interrupt();
        long lines = Files.lines(folder.resolve("log")).count();
        counter.seek(0);
        System.out.println(lines == rounds && counter.readInt() == rounds - 1 && Files.list(folder).count() == 3 ? "fine" : "spoilt");
        System.exit(7);
    }
}
