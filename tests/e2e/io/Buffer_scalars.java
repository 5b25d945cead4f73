// Numbers in buffers: every type, both orders, every alignment, heap, direct and mapped memory, views and slices, out
// of bounds; often enough for compiled code.
import java.nio.*;
import java.nio.channels.FileChannel;
import java.nio.file.*;

public class Buffer_scalars {
    static long sum;

    static void add(long value) { sum = sum * 31 + value; }

    static void write(ByteBuffer b, int at, long value) {
        b.put(at, (byte) value).putShort(at + 1, (short) value).putChar(at + 3, (char) value).putInt(at + 5, (int) value);
        b.putLong(at + 9, value).putFloat(at + 17, Float.intBitsToFloat((int) value & 0x7f7fffff)).putDouble(at + 21, value * 1.7);
    }

    static void read(ByteBuffer b, int at) {
        add(b.get(at) + b.getShort(at + 1) + b.getChar(at + 3));
        add(b.getInt(at + 5));
        add(b.getLong(at + 9));
        add(Float.floatToRawIntBits(b.getFloat(at + 17)));
        add(Double.doubleToRawLongBits(b.getDouble(at + 21)));
        for (int i = 0; i < 29; i++) add(b.get(at + i));
    }

    static void views(ByteBuffer b) {
        ShortBuffer s = b.asShortBuffer();
        CharBuffer c = b.asCharBuffer();
        IntBuffer n = b.asIntBuffer();
        LongBuffer l = b.asLongBuffer();
        FloatBuffer f = b.asFloatBuffer();
        DoubleBuffer d = b.asDoubleBuffer();
        for (int i = 0; i < 4; i++) {
            s.put(i, (short) (s.get(i + 2) * 3));
            c.put(i, (char) (c.get(i + 2) + 5));
            n.put(i, n.get(i + 1) - 7);
            l.put(i, l.get(i + 1) ^ 0x1234567);
            f.put(i + 8, i * 1.5f);
            d.put(i + 8, f.get(i + 8) - 0.25);
            add(Double.doubleToRawLongBits(d.get(i + 8)));
        }
        for (int i = 0; i < b.limit(); i++) add(b.get(i));
    }

    static String refused(Runnable r) {
        try {
            r.run();
            return "done";
        } catch (RuntimeException e) {
            return e.getClass().getName();
        }
    }

    static void use(ByteBuffer b) {
        for (ByteOrder order : new ByteOrder[] {ByteOrder.BIG_ENDIAN, ByteOrder.LITTLE_ENDIAN}) {
            b.order(order);
            for (int at = 0; at < 9; at++) {
                write(b, at, 0x8182_8384_8586_8788L * (at + 1) ^ sum);
                read(b, at);
            }
            views(b);
            views(b.position(3).slice().order(order));
            b.position(0);
            while (b.remaining() >= 8) add(b.getLong() + b.position());
            b.clear();
            CharBuffer text = b.asCharBuffer();
            text.put("some text").flip();
            add(text.toString().hashCode() + text.compareTo(b.asCharBuffer()) + b.mismatch(b.duplicate().position(1)));
        }
    }

    public static void main(String[] args) throws Exception {
        Path file = Files.createTempFile("scalars", ".bin");
        try (FileChannel channel = FileChannel.open(file, StandardOpenOption.READ, StandardOpenOption.WRITE)) {
            ByteBuffer[] all = {ByteBuffer.allocate(120), ByteBuffer.allocateDirect(120), channel.map(FileChannel.MapMode.READ_WRITE, 0, 120)};
            for (int i = 0; i < 400; i++) for (ByteBuffer b : all) use(b);
            System.out.println(sum);
            for (int i = 0; i < 2000; i++)
                for (ByteBuffer b : all) {
                    String s = refused(() -> b.getInt(117)) + refused(() -> b.getLong(-1)) + refused(() -> b.putShort(119, (short) 1))
                        + refused(() -> b.asReadOnlyBuffer().putInt(0, 1)) + refused(() -> b.duplicate().position(115).getDouble());
                    if (i == 1999) System.out.println(s);
                }
        }
        Files.delete(file);
    }
}
