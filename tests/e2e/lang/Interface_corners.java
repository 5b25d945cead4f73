// Interfaces: private and static methods, super calls, diamonds, generic defaults, fields, functional interfaces.
import java.util.*;
import java.util.function.*;

public class Interface_corners {
    interface A { default String who() { return "A" + hid(); } private String hid() { return st() + "h"; } private static String st() { return "s"; } static String stat() { return "A.stat"; } int K = new Random(3).nextInt(100); }
    interface B extends A { default String who() { return "B(" + A.super.who() + ")"; } }
    interface C extends A { default String who() { return "C(" + A.super.who() + ")"; } String toString(); boolean equals(Object o); }
    static class D implements B, C { public String who() { return B.super.who() + C.super.who(); } }
    static class E extends D { public String who() { Supplier<String> s = super::who; return "E" + s.get(); } }
    static abstract class F implements A { public abstract String who(); }
    static class G extends F { public String who() { return "G"; } }
    interface Gen<T, R> { R apply(T t); default <V> Gen<T, V> then(Gen<? super R, ? extends V> n) { return t -> n.apply(apply(t)); } static <T> Gen<T, T> id() { return t -> t; } }
    interface H { int f(int x); default int twice(int x) { return f(f(x)); } boolean equals(Object o); int hashCode(); }
    static class Base { public String who() { return "Base"; } }
    static class I extends Base implements A { }
    interface Shadow { int N = 1; interface In { int N = 2; } }
    static class J implements Shadow, Shadow.In { int both() { return Shadow.N * 10 + In.N; } }

    public static void main(String[] args) {
        System.out.println(new D().who() + " " + new E().who() + " " + new G().who() + " " + new I().who() + " " + A.stat() + " " + (A.K == B.K) + " " + new J().both());
        System.out.println(Gen.<Integer>id().then(x -> x + 1).then(x -> "r" + x).apply(4));
        H h = x -> x * 3;
        System.out.println(h.twice(2) + " " + h.equals(h) + " " + (h.hashCode() == h.hashCode()));
        A anon = new A() { @Override public String who() { return "anon+" + A.super.who(); } };
        System.out.println(anon.who());
        Object o = (Runnable & java.io.Serializable & A) () -> { };
        System.out.println((o instanceof A) + " " + ((A) o).who() + " " + (o instanceof java.io.Serializable));
        Map<String, Supplier<Object>> m = new TreeMap<>();
        m.put("ctor", ArrayList::new);
        m.put("array", () -> ((IntFunction<int[]>) int[]::new).apply(3).length);
        m.put("bound", "text"::length);
        m.put("unbound", () -> ((Function<String, Integer>) String::length).apply("four"));
        m.put("vararg", () -> ((BiFunction<String, Object, String>) String::format).apply("<%s>", 5));
        m.put("inner", () -> new Object() { int n = 4; IntSupplier s = () -> n * 2; }.s.getAsInt());
        m.put("generic", () -> Interface_corners.<String>first(List.of("x", "y")));
        m.forEach((k, v) -> System.out.print(k + "=" + v.get() + " "));
        System.out.println();
        try { String s = null; Supplier<Integer> x = s::length; } catch (NullPointerException e) { System.out.println("bound to null"); }
    }
    static <T> T first(List<? extends T> l) { return l.get(0); }
}
