// Method.invoke: boxing, widening, varargs, virtual dispatch, wrapped exceptions, access, wrong arguments.
import java.lang.reflect.*;
import java.util.*;

public class Method_invoke {
    static class Base { public String who(Object o) { return "base " + o; } private int hidden(int x) { return x * 2; } }
    static class Sub extends Base { @Override public String who(Object o) { return "sub " + o; } }
    public static String prims(boolean z, byte b, char c, short s, int i, long l, float f, double d) { return "" + z + b + c + s + i + l + f + d; }
    public static long wide(long l) { return l + 1; }
    public static int va(String s, int... xs) { return s.length() + xs.length; }
    public static void fails(String how) throws Exception { throw how.equals("checked") ? new java.io.IOException("checked") : new IllegalStateException(how); }
    static int zi() { return 7; } static boolean zz() { return true; } static byte zb() { return -3; } static char zc() { return 'q'; } static short zs() { return -9; } static long zl() { return 1L << 40; } static float zf() { return 1.5f; } static double zd() { return 2.5; } static void zv() { } static String zn() { return null; } static int[] za() { return new int[]{1}; }

    interface Body { Object run() throws Throwable; }
    static void t(Body b) {
        try {
            System.out.println(b.run());
        } catch (InvocationTargetException e) {
            System.out.println("ITE " + e.getMessage() + " <- " + e.getCause());
        } catch (Throwable e) {
            System.out.println(e.getClass().getSimpleName() + ": " + (e.getMessage() + "").replaceAll("@[0-9a-f]+", "@"));
        }
    }

    public static void main(String[] args) throws Exception {
        Method who = Base.class.getMethod("who", Object.class);
        t(() -> who.invoke(new Base(), "x"));
        t(() -> who.invoke(new Sub(), 5));
        t(() -> who.invoke("wrong", "x"));
        t(() -> who.invoke(new Sub()));
        t(() -> who.invoke(new Sub(), "a", "b"));
        t(() -> { try { return who.invoke(null, "x"); } catch (NullPointerException e) { return "NPE"; } });
        Method prims = null, wide = null, fails = null, va = null;
        for (Method m : Method_invoke.class.getDeclaredMethods()) {
            if (m.getName().equals("prims")) prims = m;
            if (m.getName().equals("wide")) wide = m;
            if (m.getName().equals("fails")) fails = m;
            if (m.getName().equals("va")) va = m;
        }
        Method p = prims, w = wide, f = fails, v = va;
        t(() -> p.invoke(null, true, (byte) 1, 'c', (short) 2, 3, 4L, 5f, 6d));
        t(() -> p.invoke(null, true, (byte) 1, 'c', (byte) 2, 'x', 'y', 3, 4f));
        t(() -> p.invoke(null, 1, (byte) 1, 'c', (short) 2, 3, 4L, 5f, 6d));
        t(() -> w.invoke(null, 5));
        t(() -> w.invoke(null, (Object) null));
        t(() -> w.invoke(null, 5.0));
        t(() -> v.invoke(null, "abc", new int[]{1, 2}));
        t(() -> v.invoke(null, "abc", 1));
        t(() -> f.invoke(null, "checked"));
        t(() -> f.invoke(null, "unchecked"));
        for (String n : "zi zz zb zc zs zl zf zd zv zn".split(" ")) {
            Object o = Method_invoke.class.getDeclaredMethod(n).invoke(null);
            System.out.print(o + ":" + (o == null ? "" : o.getClass().getSimpleName()) + " ");
        }
        System.out.println(((int[]) Method_invoke.class.getDeclaredMethod("za").invoke(null))[0]);
        Method h = Base.class.getDeclaredMethod("hidden", int.class);
        t(() -> h.invoke(new Sub(), 21));
        Method sv = String.class.getDeclaredMethod("isLatin1");
        t(() -> sv.invoke("x"));
        t(() -> { sv.setAccessible(true); return "opened"; });
        Method m = ArrayList.class.getMethod("add", Object.class);
        List<Integer> l = new ArrayList<>();
        for (int i = 0; i < 40; i++) m.invoke(l, i);
        System.out.println(l.size() + " " + l.get(39));
        int total = 0;
        for (int i = 0; i < 60; i++) total += (Long) w.invoke(null, (long) i);
        System.out.println(total);
        System.out.println(p + " | " + v.toGenericString() + " | " + v.isVarArgs() + " " + f.getExceptionTypes()[0] + " " + who.equals(Base.class.getMethod("who", Object.class)) + " " + who.hashCode() * 0 + " " + Arrays.toString(p.getParameterTypes()) + " " + p.getParameterCount() + " " + p.getParameters()[2]);
        t(() -> Comparable.class.getMethod("compareTo", Object.class).invoke("a", "b"));
        t(() -> Object.class.getMethod("toString").invoke(new int[0].getClass()));
        t(() -> Object.class.getMethod("hashCode").invoke("hash"));
        TreeSet<String> pub = new TreeSet<>();
        for (Method x : Sub.class.getMethods()) if (x.getDeclaringClass() != Object.class) pub.add(x.toString());
        System.out.println(pub);
    }
}
