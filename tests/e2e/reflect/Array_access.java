// java.lang.reflect.Array: every element type read and written as every other, mismatches, bounds, lengths, creation.
import java.lang.reflect.Array;
import java.util.*;

public class Array_access {
    interface Op { Object run(); }
    static String t(Op o) { try { return String.valueOf(o.run()); } catch (RuntimeException | Error e) { return e.getClass().getSimpleName().replaceAll("[a-z]", "") + "(" + e.getMessage() + ")"; } }

    public static void main(String[] args) {
        Object[] arrays = {new boolean[]{true}, new byte[]{-5}, new char[]{'x'}, new short[]{300}, new int[]{70000}, new long[]{1L << 40}, new float[]{1.5f}, new double[]{2.5}, new String[]{"s"}, new Object[]{7}};
        for (Object a : arrays) {
            System.out.println(a.getClass().getSimpleName() + ": " + t(() -> Array.get(a, 0)) + " " + t(() -> Array.getBoolean(a, 0)) + " " + t(() -> Array.getByte(a, 0)) + " " + t(() -> Array.getChar(a, 0)) + " " + t(() -> Array.getShort(a, 0)) + " " + t(() -> Array.getInt(a, 0)) + " " + t(() -> Array.getLong(a, 0)) + " " + t(() -> Array.getFloat(a, 0)) + " " + t(() -> Array.getDouble(a, 0)));
        }
        Object[] values = {true, (byte) 1, 'c', (short) 2, 3, 4L, 5f, 6.0, "s", null};
        for (Object a : arrays) {
            StringBuilder b = new StringBuilder(a.getClass().getSimpleName() + ":");
            for (Object v : values) b.append(' ').append(t(() -> { Array.set(a, 0, v); return Array.get(a, 0); }).replace("argument type mismatch", "m"));
            b.append(' ').append(t(() -> { Array.setInt(a, 0, 9); return Array.get(a, 0); })).append(' ').append(t(() -> { Array.setChar(a, 0, 'z'); return Array.get(a, 0); })).append(' ').append(t(() -> { Array.setDouble(a, 0, 0.5); return Array.get(a, 0); }));
            System.out.println(b);
        }
        for (Op o : new Op[]{() -> Array.get(new int[2], 2), () -> Array.get(new int[2], -1), () -> Array.get("x", 0), () -> Array.get(null, 0), () -> Array.getLength("x"), () -> Array.getLength(null), () -> Array.getLength(new int[2][3]), () -> Array.newInstance(void.class, 1), () -> Array.newInstance(null, 1), () -> Array.newInstance(int.class, -1), () -> Array.newInstance(int.class), () -> Array.newInstance(int.class, 2, -3), () -> Array.newInstance(int[].class, 2, 3).getClass(), () -> ((int[][]) Array.newInstance(int.class, 2, 3))[1].length, () -> Array.newInstance(String.class, 0).getClass(), () -> Array.newInstance(int.class, new int[256]), () -> { Array.set(new String[1], 0, 5); return 0; }, () -> { Array.setInt(new String[1], 0, 5); return 0; }, () -> { Array.setInt(new byte[1], 0, 5); return 0; }})
            System.out.println(t(o));
        System.out.println(int[].class.arrayType() + " " + int[][].class.componentType() + " " + String.class.componentType() + " " + int.class.arrayType().descriptorString());
        try { void.class.arrayType(); } catch (UnsupportedOperationException | IllegalArgumentException e) { System.out.println(e.getClass().getSimpleName()); }
        System.out.println(new int[0].getClass() == int[].class && int[].class.getSuperclass() == Object.class && Arrays.toString(int[].class.getInterfaces()).equals("[interface java.lang.Cloneable, interface java.io.Serializable]"));
        System.out.println(int[].class.getMethods().length + " " + int[].class.getDeclaredMethods().length + " " + int[].class.getFields().length + " " + java.lang.reflect.Modifier.toString(int[].class.getModifiers()) + " " + java.lang.reflect.Modifier.toString(Array_access[].class.getModifiers()));
    }
}
