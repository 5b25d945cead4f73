// Fields of all types through reflection: get, set, static, final, widening, wrong types, inherited.
import java.lang.reflect.*;
import java.util.*;

public class Field_access {
    public boolean z = true; public byte b = 1; public char c = 'c'; public short s = 2; public int i = 3; public long l = 4L; public float f = 5f; public double d = 6d; public String str = "s"; public int[] arr = {1};
    public static int si = 10; static long sl = 20; static volatile String ss = "ss"; private int hidden = 99;
    public final int fin = Integer.parseInt("7"); static final String CONST = "const"; static final Integer SF = Integer.valueOf(5);
    transient volatile int tv;

    interface Body { Object run() throws Throwable; }
    static void t(Body b) {
        try {
            System.out.println(b.run());
        } catch (Throwable e) {
            System.out.println(e.getClass().getSimpleName() + ": " + (e.getMessage() + "").replaceAll("@[0-9a-f]+", "@"));
        }
    }

    static class Child extends Field_access { public int i = 33; }

    public static void main(String[] args) throws Exception {
        Field_access o = new Field_access();
        for (Field x : Field_access.class.getDeclaredFields()) {
            if (x.isSynthetic()) continue;
            Object v = x.get(o);
            System.out.print(x.getName() + "=" + (v instanceof int[] ? "arr" : v) + ":" + x.getType().getSimpleName() + ":" + Modifier.toString(x.getModifiers()) + " ");
        }
        System.out.println();
        Class<?> k = Field_access.class;
        k.getField("z").setBoolean(o, false); k.getField("b").setByte(o, (byte) -1); k.getField("c").setChar(o, 'x'); k.getField("s").setShort(o, (short) -2); k.getField("i").setInt(o, -3); k.getField("l").setLong(o, -4); k.getField("f").setFloat(o, -5); k.getField("d").setDouble(o, -6); k.getField("str").set(o, null);
        System.out.println(o.z + " " + o.b + " " + o.c + " " + o.s + " " + o.i + " " + o.l + " " + o.f + " " + o.d + " " + o.str);
        k.getField("d").set(o, 5); k.getField("l").set(o, 'a'); k.getField("f").setLong(o, 77); k.getField("i").setByte(o, (byte) 9);
        System.out.println(o.d + " " + o.l + " " + o.f + " " + o.i + " " + k.getField("b").getInt(o) + " " + k.getField("i").getDouble(o));
        t(() -> { k.getField("i").set(o, 5L); return 0; });
        t(() -> { k.getField("i").set(o, null); return 0; });
        t(() -> { k.getField("str").set(o, 5); return 0; });
        t(() -> k.getField("l").getInt(o));
        t(() -> k.getField("i").get("wrong object"));
        t(() -> { try { return k.getField("i").get(null); } catch (NullPointerException e) { return "NPE"; } });
        t(() -> k.getField("si").get(null));
        t(() -> { k.getField("si").set(null, 11); return si; });
        t(() -> { k.getField("fin").set(o, 8); return 0; });
        t(() -> { Field x = k.getField("fin"); x.setAccessible(true); x.set(o, 8); return o.fin; });
        t(() -> { Field x = k.getDeclaredField("SF"); x.setAccessible(true); x.set(null, 8); return 0; });
        t(() -> k.getDeclaredField("hidden").get(new Child()));
        t(() -> Child.class.getField("i").get(new Child()) + " " + k.getField("i").get(new Child()) + " " + Child.class.getField("l").getDeclaringClass().getSimpleName());
        t(() -> { Field x = String.class.getDeclaredField("value"); x.setAccessible(true); return 0; });
        t(() -> String.class.getDeclaredField("value").get("x"));
        t(() -> Integer.class.getField("MAX_VALUE").getInt(null));
        t(() -> k.getField("arr") + " " + k.getDeclaredField("tv").toGenericString());
        Object a = Array.newInstance(String.class, 2, 3);
        Array.set(Array.get(a, 1), 2, "x");
        System.out.println(Arrays.deepToString((Object[]) a) + " " + Array.getLength(a));
        Object ia = Array.newInstance(int.class, 3);
        Array.setInt(ia, 0, 5);
        Array.set(ia, 1, (short) 6);
        Array.setByte(ia, 2, (byte) 7);
        System.out.println(Arrays.toString((int[]) ia) + " " + Array.getLong(ia, 1) + " " + Array.get(ia, 2));
        t(() -> { Array.set(ia, 0, 5L); return 0; });
        t(() -> Array.get(ia, 3));
        t(() -> Array.getLength("x"));
        t(() -> Array.newInstance(void.class, 1));
        t(() -> Array.newInstance(int.class, -1));
    }
}
