// Memory outside the heap: Unsafe's accesses by address have a null base, in compiled code too. An access through a
// null base implies nothing about that reference afterwards.
import sun.misc.Unsafe;

public class Unsafe_addresses {
    static final Unsafe unsafe = unsafe();

    static Unsafe unsafe() {
        try {
            var field = Unsafe.class.getDeclaredField("theUnsafe");
            field.setAccessible(true);
            return (Unsafe) field.get(null);
        } catch (ReflectiveOperationException e) {
            throw new AssertionError(e);
        }
    }

    static long fill(long at, int n) {
        long sum = 0;
        for (int i = 0; i < n; i++) unsafe.putLong(at + 8L * i, i * 0x123456789L);
        for (int i = 0; i < n; i++) sum += unsafe.getByte(at + 8L * i + 1) + unsafe.getInt(at + 8L * i);
        return sum;
    }

    static int twice(long a, long b) {
        unsafe.putInt(a, 1);
        unsafe.putInt(b, 2);
        return unsafe.getInt(a) * 10 + unsafe.getInt(b);
    }

    static int overlapping(long a) {
        unsafe.putLong(a, 0x1122334455667788L);
        unsafe.putShort(a + 2, (short) 0);
        return (int) (unsafe.getLong(a) >> 12);
    }

    static String based(Object base, long offset) {
        unsafe.putInt(base, offset, 7);
        int seen = unsafe.getInt(base, offset);
        return base == null ? "null " + seen : base.getClass().getSimpleName() + " " + seen;
    }

    static int exchanged(long at) {
        unsafe.putInt(at, 5);
        boolean done = unsafe.compareAndSwapInt(null, at, 5, 6);
        return (done ? 100 : 0) + unsafe.getAndAddInt(null, at, 3) * 10 + unsafe.getIntVolatile(null, at);
    }

    public static void main(String[] args) {
        long at = unsafe.allocateMemory(1 << 12), sum = 0;
        int[] array = new int[4];
        for (int i = 0; i < 400; i++) {
            sum = sum * 31 + fill(at, 60);
            sum = sum * 31 + twice(at, at);
            sum = sum * 31 + twice(at, at + 4);
            sum = sum * 31 + overlapping(at);
            sum = sum * 31 + based(null, at).hashCode();
            sum = sum * 31 + based(array, Unsafe.ARRAY_INT_BASE_OFFSET).hashCode();
            sum = sum * 31 + exchanged(at);
        }
        unsafe.freeMemory(at);
        System.out.println(sum + " " + array[0] + " " + based(array, Unsafe.ARRAY_INT_BASE_OFFSET + 4));
    }
}
