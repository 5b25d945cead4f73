// FileChannel: positional I/O, scatter and gather, mapping, locks, transfer, truncation; pipes; async files.
import java.io.*;
import java.nio.*;
import java.nio.channels.*;
import java.nio.file.*;
import java.util.Arrays;

public class Nio_channels {
    public static void main(String[] args) throws Exception {
        Path p = Path.of("ch.bin");
        try (FileChannel c = FileChannel.open(p, StandardOpenOption.CREATE, StandardOpenOption.READ, StandardOpenOption.WRITE)) {
            ByteBuffer b = ByteBuffer.allocate(64);
            for (int i = 0; i < 16; i++) b.putInt(i * i);
            b.flip();
            System.out.println(c.write(b) + " " + c.position() + " " + c.size());
            ByteBuffer d = ByteBuffer.allocateDirect(8);
            System.out.println(c.read(d, 20) + " " + d.getInt(0) + " " + d.getInt(4) + " " + c.position());
            ByteBuffer[] parts = {ByteBuffer.allocate(4), ByteBuffer.allocateDirect(12), ByteBuffer.allocate(8)};
            c.position(0);
            System.out.println(c.read(parts) + " " + parts[1].getInt(8) + " " + parts[2].getInt(4));
            for (ByteBuffer x : parts) x.flip();
            c.position(c.size());
            System.out.println(c.write(parts) + " " + c.size());
            MappedByteBuffer m = c.map(FileChannel.MapMode.READ_WRITE, 4, 40);
            m.order(ByteOrder.LITTLE_ENDIAN).putInt(0, 0x0a0b0c0d);
            m.force();
            ByteBuffer one = ByteBuffer.allocate(4);
            c.read(one, 4);
            System.out.println(Integer.toHexString(one.getInt(0)) + " " + m.isDirect() + " " + m.capacity());
            FileLock l = c.tryLock(0, 10, false);
            System.out.println(l.isValid() + " " + l.isShared());
            try {
                c.tryLock(5, 10, false);
            } catch (OverlappingFileLockException e) {
                System.out.println("overlap");
            }
            l.release();
            c.truncate(10);
            System.out.println(c.size() + " " + c.position());
        }
        try (FileChannel in = FileChannel.open(p); FileChannel out = FileChannel.open(Path.of("out"), StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE)) {
            System.out.println(in.transferTo(2, 100, out) + " " + out.size() + " " + out.transferFrom(in, 8, 3) + " " + out.size());
            try {
                in.write(ByteBuffer.allocate(1));
            } catch (NonWritableChannelException e) {
                System.out.println("read only");
            }
            in.close();
            try {
                in.size();
            } catch (ClosedChannelException e) {
                System.out.println("closed " + in.isOpen());
            }
        }
        Pipe pipe = Pipe.open();
        Thread t = new Thread(() -> {
            try (WritableByteChannel w = pipe.sink()) {
                for (int i = 0; i < 50; i++) w.write(ByteBuffer.wrap(("m" + i + ";").getBytes()));
            } catch (IOException e) {
                e.printStackTrace();
            }
        });
        t.start();
        ByteArrayOutputStream got = new ByteArrayOutputStream();
        ByteBuffer r = ByteBuffer.allocate(33);
        while (pipe.source().read(r) >= 0) { r.flip(); got.write(r.array(), 0, r.limit()); r.clear(); }
        t.join();
        System.out.println(got.size() + " " + got.toString().hashCode());
        InputStream is = Channels.newInputStream(Files.newByteChannel(p));
        System.out.println(is.readAllBytes().length);
        try (AsynchronousFileChannel a = AsynchronousFileChannel.open(Path.of("async"), StandardOpenOption.CREATE, StandardOpenOption.WRITE, StandardOpenOption.READ)) {
            System.out.println(a.write(ByteBuffer.wrap("async data".getBytes()), 0).get());
            ByteBuffer ab = ByteBuffer.allocate(4);
            System.out.println(a.read(ab, 6).get() + " " + new String(ab.array()));
        }
        System.out.println(Arrays.toString(Files.readAllBytes(Path.of("out"))));
    }
}
