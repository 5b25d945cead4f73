import java.lang.reflect.Field;
import sun.misc.Unsafe;

/** Stores a reference as a number, without a write barrier, which a check of young collections must find. */
public final class Missing {
    static final class Holder {
        Object field;
    }

    static final class Lost { }

    private static Unsafe unsafe;
    private static long offset;

    // A separate frame, so that no reference is left on the stack.
    private static void hide(Holder holder) {
        Holder young = new Holder();
        young.field = new Lost();
        unsafe.putLong(holder, offset, unsafe.getLong(young, offset));
        young.field = null;
    }

    private static int deepen(int depth) {
        int a = depth, b = depth + 1, c = depth + 2;
        return depth == 0 ? 0 : deepen(depth - 1) + a + b - c;
    }

    public static void main(String[] args) throws Exception {
        Field f = Unsafe.class.getDeclaredField("theUnsafe");
        f.setAccessible(true);
        unsafe = (Unsafe) f.get(null);
        offset = unsafe.objectFieldOffset(Holder.class.getDeclaredField("field"));
        Holder[] old = new Holder[100];
        for (int i = 0; i < old.length; i++) old[i] = new Holder();
        System.gc();
        for (Holder h : old) hide(h);
        deepen(200);
        for (int i = 0; i < 5000; i++) new Object();
        System.out.println("not found");
    }
}
