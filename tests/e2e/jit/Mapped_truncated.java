import java.io.RandomAccessFile;
import java.lang.reflect.Field;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.MappedByteBuffer;
import java.nio.channels.FileChannel;

// A mapped file is truncated: accesses past its end throw InternalError soon after the access. Calls that poll follow
// each access (HotSpot's poll on return from its runtime), because the exact point is unspecified.
public class Mapped_truncated {
    static final int SIZE = 1 << 20, ROUNDS = 300;
    static int sum;
    static long bits;
    static double real;
    static int[][] made;

    interface Access { void run(ByteBuffer b) throws Exception; }

    static MappedByteBuffer mapped() throws Exception {
        try (RandomAccessFile file = new RandomAccessFile("mapped", "rw")) {
            file.setLength(SIZE);
            MappedByteBuffer b = file.getChannel().map(FileChannel.MapMode.READ_WRITE, 0, SIZE);
            b.put(5, (byte) 7);
            file.setLength(4096);
            return b;
        }
    }

    static void show(String what, ByteBuffer b, int rounds, Access access) throws Exception {
        int thrown = 0;
        String message = null;
        for (int i = 0; i < rounds; i++) {
            try {
                access.run(b);
                made = new int[1][1];
                poll(0);
            } catch (InternalError e) {
                thrown++;
                message = e.getMessage();
            }
        }
        System.out.println(what + ": " + (thrown == rounds ? "always" : thrown == 0 ? "never" : "sometimes") + ", " + message);
    }

    static int poll(int n) {
        return n > 2 ? n : poll(n + 1);
    }

    static void readAll(ByteBuffer b) {
        for (int i = 8192; i < 9000; i++) sum += b.get(i) & 0xff;
    }

    static void writeAll(ByteBuffer b) {
        for (int i = 8192; i < 9000; i++) b.put(i, (byte) i);
    }

    public static void main(String[] args) throws Exception {
        MappedByteBuffer b = mapped();
        ByteBuffer swapped = b.duplicate().order(ByteOrder.nativeOrder() == ByteOrder.BIG_ENDIAN
                                                 ? ByteOrder.LITTLE_ENDIAN : ByteOrder.BIG_ENDIAN);
        int far = 100_000;
        show("within", b, ROUNDS, x -> sum += x.get(5));
        show("get", b, ROUNDS, x -> sum += x.get(far));
        show("getChar", b, ROUNDS, x -> sum += x.getChar(far));
        show("getShort", b, ROUNDS, x -> sum += x.getShort(far));
        show("getInt", b, ROUNDS, x -> sum += x.getInt(far));
        show("getLong", b, ROUNDS, x -> bits += x.getLong(far));
        show("getFloat", b, ROUNDS, x -> real += x.getFloat(far));
        show("getDouble", b, ROUNDS, x -> real += x.getDouble(far));
        show("put", b, ROUNDS, x -> x.put(far, (byte) 1));
        show("putShort", b, ROUNDS, x -> x.putShort(far, (short) 1));
        show("putInt", b, ROUNDS, x -> x.putInt(far, 1));
        show("putLong", b, ROUNDS, x -> x.putLong(far, 1));
        show("putDouble", b, ROUNDS, x -> x.putDouble(far, 1));
        show("unaligned", b, ROUNDS, x -> bits += x.getLong(far + 1));
        show("loop", b, 20, Mapped_truncated::readAll);
        show("loop put", b, 20, Mapped_truncated::writeAll);
        show("bulk get", b, 20, x -> x.get(far, new byte[5000]));
        show("bulk get, few", b, ROUNDS, x -> x.get(far, new byte[3]));
        show("bulk put", b, 20, x -> x.put(far, new byte[5000]));
        show("swapped get", swapped, 20, x -> x.asIntBuffer().get(5000, new int[1000]));
        show("swapped put", swapped, 20, x -> x.asLongBuffer().put(5000, new long[1000]));
        show("mismatch", b, 1, x -> sum += x.mismatch(ByteBuffer.allocate(SIZE).put(5, (byte) 7)));
        Field field = Class.forName("sun.misc.Unsafe").getDeclaredField("theUnsafe");
        field.setAccessible(true);
        sun.misc.Unsafe unsafe = (sun.misc.Unsafe) field.get(null);
        long address = unsafe.getLong(b, unsafe.objectFieldOffset(java.nio.Buffer.class.getDeclaredField("address")));
        show("copyMemory", b, 20, x -> unsafe.copyMemory(address + far, address, 4096));
        show("Unsafe.getByte", b, ROUNDS, x -> sum += unsafe.getByte(address + far));
        show("within", b, ROUNDS, x -> sum += x.get(4095));
    }
}
