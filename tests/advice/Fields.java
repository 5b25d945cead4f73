import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.lang.reflect.Field;
import java.lang.reflect.Modifier;

/** A class with hot and cold fields; prints their offsets and their values by reflection, Unsafe and VarHandles. */
public final class Fields {
    static class Base {
        byte flag = 1;
        Object owner = "owner";
        long id = 5;
    }

    static final class Node extends Base {
        Object a = "a", b = "b", c = "c";
        long d = 11, e = 12;
        double f = 1.5;
        Node next;
        int hot = 3, warm = 4, cold = 6;
        short s = 7;
        char ch = 'x';
        boolean z = true;
    }

    private static long work(Node n, int rounds) {
        long sum = 0;
        for (int i = 0; i < rounds; i++) {
            sum += n.hot + n.warm;
            n = n.next;
        }
        return sum + n.s + n.id;
    }

    public static void main(String[] args) throws Exception {
        Node first = new Node(), second = new Node();
        first.next = second;
        second.next = first;
        System.out.println(work(first, 100000));
        Field unsafeField = sun.misc.Unsafe.class.getDeclaredField("theUnsafe");
        unsafeField.setAccessible(true);
        sun.misc.Unsafe unsafe = (sun.misc.Unsafe) unsafeField.get(null);
        MethodHandles.Lookup lookup = MethodHandles.lookup();
        for (Class<?> c : new Class<?>[] {Base.class, Node.class})
            for (Field f : c.getDeclaredFields()) {
                if (Modifier.isStatic(f.getModifiers())) continue;
                VarHandle handle = MethodHandles.privateLookupIn(c, lookup).findVarHandle(c, f.getName(), f.getType());
                Object value = f.get(first), same = handle.get(first);
                if (f.getName().equals("next")) value = same = value == second && same == second;
                if (f.getType() == int.class && unsafe.getInt(first, unsafe.objectFieldOffset(f)) != (Integer) value)
                    throw new AssertionError(f);
                System.out.println(f.getName() + " " + value + " " + same);
                if (args.length > 0) System.out.println("offset " + f.getName() + " " + unsafe.objectFieldOffset(f));
            }
    }
}
