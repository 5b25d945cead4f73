// Method handles: all lookups, invokeExact and invoke, conversions, binding, wrong types, access errors.
import java.lang.invoke.*;
import java.lang.invoke.MethodHandles.Lookup;
import java.util.*;

public class Handle_lookups {
    int f = 5;
    static String sf = "static";
    private String priv(int x) { return "priv" + x + f; }
    static long st(int a, long b) { return a * b; }
    static String va(Object... os) { return Arrays.toString(os); }
    Handle_lookups() { }
    Handle_lookups(int f) { this.f = f; }
    @Override public String toString() { return "H" + f; }
    static class Base { String who() { return "base"; } }
    static class Sub extends Base { @Override String who() { return "sub"; } String up() throws Throwable { return (String) MethodHandles.lookup().findSpecial(Base.class, "who", MethodType.methodType(String.class), Sub.class).invokeExact(this); } }

    interface Body { Object run() throws Throwable; }
    static void t(Body b) {
        try {
            System.out.println(b.run());
        } catch (Throwable e) {
            System.out.println(e.getClass().getSimpleName() + ": " + (e.getMessage() + "").replaceAll("@[0-9a-f]+", "@"));
        }
    }

    public static void main(String[] args) throws Throwable {
        Lookup l = MethodHandles.lookup();
        MethodHandle st = l.findStatic(Handle_lookups.class, "st", MethodType.methodType(long.class, int.class, long.class));
        MethodHandle pr = l.findVirtual(Handle_lookups.class, "priv", MethodType.methodType(String.class, int.class));
        MethodHandle ct = l.findConstructor(Handle_lookups.class, MethodType.methodType(void.class, int.class));
        MethodHandle gf = l.findGetter(Handle_lookups.class, "f", int.class), sf = l.findSetter(Handle_lookups.class, "f", int.class);
        MethodHandle gs = l.findStaticGetter(Handle_lookups.class, "sf", String.class), ss = l.findStaticSetter(Handle_lookups.class, "sf", String.class);
        Handle_lookups h = new Handle_lookups();
        System.out.println((long) st.invokeExact(6, 7L) + " " + (String) pr.invokeExact(h, 3) + " " + (Handle_lookups) ct.invokeExact(9) + " " + (int) gf.invokeExact(h));
        sf.invokeExact(h, 50);
        ss.invokeExact("changed");
        System.out.println(h.f + " " + (String) gs.invokeExact());
        Object o = st.invoke(6, 7);
        System.out.println(o + " " + st.invoke((byte) 2, 'a') + " " + (double) st.invoke(Integer.valueOf(3), 4) + " " + st.invokeWithArguments(2, 3) + " " + st.invokeWithArguments(List.of(4, 5L)));
        t(() -> (long) st.invokeExact(6, 7));
        t(() -> { Object x = st.invokeExact(6, 7L); return x; });
        t(() -> st.invoke("a", 1L));
        t(() -> st.invoke(1));
        t(() -> st.invokeWithArguments(1));
        t(() -> pr.invoke((Object) "not H", 1));
        t(() -> { try { return (String) pr.invokeExact((Handle_lookups) null, 1); } catch (NullPointerException e) { return "NPE"; } });
        System.out.println(new Sub().up() + " " + (String) l.findVirtual(Base.class, "who", MethodType.methodType(String.class)).invokeExact((Base) new Sub()));
        MethodHandle len = l.findVirtual(String.class, "length", MethodType.methodType(int.class));
        MethodHandle cs = l.findVirtual(CharSequence.class, "charAt", MethodType.methodType(char.class, int.class));
        System.out.println((int) len.invokeExact("four") + " " + (char) cs.invokeExact((CharSequence) "xyz", 1) + " " + len.bindTo("bound").invoke() + " " + cs.bindTo(new StringBuilder("sb")).invoke(0));
        MethodHandle va = l.findStatic(Handle_lookups.class, "va", MethodType.methodType(String.class, Object[].class));
        System.out.println(va.isVarargsCollector() + " " + va.invoke(1, "b", 2.0) + " " + va.invoke() + " " + va.invoke(new Object[]{"arr"}) + " " + va.asFixedArity().invoke(new Object[]{"f"}) + " " + (String) va.asCollector(Object[].class, 2).invoke("p", "q"));
        System.out.println(va.asCollector(Object[].class, 3).asSpreader(Object[].class, 3).invoke(new Object[]{1, 2, 3}) + " " + st.asSpreader(Object[].class, 2).invoke(new Object[]{5, 6L}));
        System.out.println(st.type() + " " + st.asType(MethodType.methodType(Object.class, short.class, Integer.class)).invoke((short) 3, (Integer) 4) + " " + st);
        t(() -> st.asType(MethodType.methodType(boolean.class, int.class, long.class)));
        t(() -> l.findStatic(Handle_lookups.class, "none", MethodType.methodType(void.class)));
        t(() -> l.findVirtual(Handle_lookups.class, "st", MethodType.methodType(long.class, int.class, long.class)));
        t(() -> l.findGetter(Handle_lookups.class, "sf", String.class));
        t(() -> MethodHandles.publicLookup().findStatic(Handle_lookups.class, "st", st.type()));
        t(() -> l.findVirtual(String.class, "isLatin1", MethodType.methodType(boolean.class)));
        MethodHandle um = l.unreflect(Handle_lookups.class.getDeclaredMethod("va", Object[].class));
        System.out.println(um.invoke("u") + " " + l.unreflectGetter(Handle_lookups.class.getDeclaredField("f")).invoke(h) + " " + l.unreflectConstructor(Handle_lookups.class.getDeclaredConstructor(int.class)).invoke(1));
        System.out.println(l.revealDirect(st) + " " + l.lookupClass().getSimpleName() + " " + MethodHandles.privateLookupIn(Base.class, l).findVirtual(Base.class, "who", MethodType.methodType(String.class)).invoke(new Base()));
        System.out.println((String) MethodHandles.lookup().findVirtual(Object.class, "toString", MethodType.methodType(String.class)).invoke(new int[0].getClass()));
        long sum = 0;
        for (int i = 0; i < 300; i++) sum += (long) st.invokeExact(i, 2L);
        System.out.println(sum);
        t(() -> (Object) l.findStatic(Integer.class, "parseInt", MethodType.methodType(int.class, String.class)).invoke("zz"));
    }
}
