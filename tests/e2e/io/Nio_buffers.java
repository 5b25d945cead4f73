// Buffers: heap and direct, views, byte orders, slices, duplicates, read-only, compacting, errors, char buffers.
import java.nio.*;
import java.util.Arrays;

public class Nio_buffers {
    static void oops(Runnable r) {
        try {
            r.run();
            System.out.println("fine");
        } catch (RuntimeException e) {
            System.out.println(e.getClass().getSimpleName() + " " + e.getMessage());
        }
    }

    static void exercise(ByteBuffer b) {
        b.put((byte) 1).putShort((short) -2).putInt(3).putLong(1L << 50).putChar('x').putFloat(1.5f).putDouble(2.5);
        System.out.println(b);
        b.flip();
        System.out.println(b.get() + " " + b.getShort() + " " + b.getInt() + " " + b.getLong() + " " + b.getChar() + " " + b.getFloat() + " " + b.getDouble() + " " + b.remaining());
        b.rewind().order(ByteOrder.LITTLE_ENDIAN);
        System.out.println(b.getInt(3) + " " + b.getLong(1) + " " + b.getDouble(0) + " " + b.order());
        b.position(4).mark().position(8).reset();
        ByteBuffer s = b.slice(), d = b.duplicate(), r = b.asReadOnlyBuffer();
        s.put(0, (byte) 77);
        System.out.println(b.get(4) + " " + s.order() + " " + d.position() + " " + r.isReadOnly() + " " + s.capacity() + " " + b.slice(2, 3).remaining());
        oops(() -> r.put((byte) 1));
        b.compact();
        System.out.println(b.position() + " " + b.get(0) + " " + b.limit());
        b.clear();
        for (int i = 0; i < b.capacity(); i++) b.put((byte) (i * 3));
        b.flip();
        IntBuffer ib = b.asIntBuffer();
        LongBuffer lb = b.order(ByteOrder.BIG_ENDIAN).asLongBuffer();
        ib.put(1, 0x11223344);
        System.out.println(ib.get(2) + " " + lb.get(0) + " " + ib.remaining() + " " + lb.order() + " " + b.asShortBuffer().get(3) + " " + (int) b.asCharBuffer().get(5) + " " + b.asDoubleBuffer().get(1) + " " + b.asFloatBuffer().get(2));
        byte[] out = new byte[5];
        b.position(3).get(out);
        System.out.println(Arrays.toString(out) + " " + b.hashCode() + " " + b.equals(d) + " " + b.compareTo(d) + " " + b.mismatch(d.clear()));
    }

    public static void main(String[] args) {
        exercise(ByteBuffer.allocate(40));
        exercise(ByteBuffer.allocateDirect(40));
        ByteBuffer w = ByteBuffer.wrap(new byte[10], 2, 5);
        System.out.println(w + " " + w.arrayOffset() + " " + w.slice().arrayOffset() + " " + w.hasArray() + " " + ByteBuffer.allocateDirect(3).hasArray());
        oops(() -> w.getLong()); oops(() -> w.get(7)); oops(() -> w.position(9)); oops(() -> w.limit(99)); oops(() -> ByteBuffer.allocate(-1)); oops(() -> w.reset()); oops(() -> w.put(new byte[6])); oops(() -> w.put(w)); oops(() -> w.asReadOnlyBuffer().array()); oops(() -> ByteBuffer.allocateDirect(4).array()); oops(() -> w.putInt(5, 1)); oops(() -> IntBuffer.allocate(2).put(5, 1));
        CharBuffer c = CharBuffer.wrap("char buffer");
        System.out.println(c.subSequence(2, 5) + " " + c.length() + " " + c.charAt(3) + " " + c.isReadOnly() + " " + c.chars().sum() + " " + CharBuffer.allocate(4).put("ab").flip());
        IntBuffer i = IntBuffer.wrap(new int[]{1, 2, 3, 4});
        IntBuffer j = IntBuffer.allocate(4).put(i.duplicate()).flip();
        System.out.println(i.equals(j) + " " + j.get() + j.get() + " " + j.hasRemaining() + " " + LongBuffer.allocate(3).put(1).put(2).position());
        ByteBuffer big = ByteBuffer.allocateDirect(1 << 16);
        for (int k = 0; k < 1 << 12; k++) big.putInt(k * 4, k ^ 0x5a5a);
        long sum = 0;
        while (big.remaining() >= 8) sum = sum * 31 + big.getLong();
        System.out.println(sum + " " + big.alignedSlice(8).capacity());
        ByteBuffer src = ByteBuffer.allocateDirect(16).putLong(0x0102030405060708L).flip(), dst = ByteBuffer.allocate(16).put(src).flip();
        System.out.println(dst.getLong() + " " + dst.order(ByteOrder.nativeOrder()).order());
    }
}
