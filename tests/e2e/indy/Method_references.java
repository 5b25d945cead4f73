// Method references of all kinds: static, bound, unbound, constructor, array, super, varargs, boxing, intersection.
import java.util.*;
import java.util.function.*;

public class Method_references {
    final String name;
    Method_references(String n) { name = n; }
    Method_references() { this("default"); }
    String greet(String other) { return name + ">" + other; }
    static String two(String a, Integer b) { return a + b; }
    static int sum(int... xs) { int s = 0; for (int x : xs) s += x; return s; }
    private String secret() { return "secret " + name; }
    Supplier<String> mine() { return this::secret; }
    static class Base { String who() { return "base"; } }
    static class Sub extends Base { @Override String who() { return "sub"; } Supplier<String> up() { return super::who; } Supplier<String> own() { return this::who; } }
    interface TriInt { int apply(int a, int b, int c); }
    interface Conv { long conv(byte b); }
    interface Gen { <T> T same(T t); }
    static <T> T ident(T t) { return t; }
    interface Def { default String d() { return "def"; } }
    class Inner { public String toString() { return "inner of " + name; } }
    Supplier<Inner> maker() { return Inner::new; }
    static <T extends Object & Comparable<T>> BinaryOperator<T> max() { return (a, b) -> a.compareTo(b) >= 0 ? a : b; }

    public static void main(String[] args) {
        BiFunction<String, Integer, String> st = Method_references::two;
        Method_references m = new Method_references("m");
        Function<String, String> bound = m::greet;
        BiFunction<Method_references, String, String> unbound = Method_references::greet;
        Function<String, Method_references> ctor = Method_references::new;
        Supplier<Method_references> ctor0 = Method_references::new;
        IntFunction<int[][]> arr = int[][]::new;
        System.out.println(st.apply("a", 1) + " " + bound.apply("b") + " " + unbound.apply(m, "c") + " " + ctor.apply("d").name + " " + ctor0.get().name + " " + arr.apply(3).length + " " + m.mine().get());
        System.out.println(new Sub().up().get() + " " + new Sub().own().get() + " " + ((Supplier<String>) new Def() { }::d).get() + " " + m.maker().get());
        TriInt t = Method_references::sum;
        Conv c = Long::valueOf;
        Gen g = Method_references::ident;
        ToIntFunction<String> len = String::length;
        IntBinaryOperator add = Integer::sum;
        Function<Integer, Double> widen = Integer::doubleValue;
        Comparator<String> cmp = String::compareToIgnoreCase;
        Function<Object, String> str = Object::toString;
        Supplier<Integer> box = "four"::length;
        System.out.println(t.apply(1, 2, 3) + " " + c.conv((byte) -5) + " " + g.same("gen") + " " + len.applyAsInt("xyz") + " " + add.applyAsInt(4, 5) + " " + widen.apply(3) + " " + cmp.compare("A", "a") + " " + str.apply(List.of(1)) + " " + box.get() + " " + Method_references.<String>max().apply("p", "q"));
        Consumer<List<String>> clear = List::clear;
        List<String> l = new ArrayList<>(List.of("x"));
        clear.accept(l);
        System.out.println(l.size());
        try {
            Method_references none = null;
            Function<String, String> f = none::greet;
            System.out.println("not reached " + f);
        } catch (NullPointerException e) {
            System.out.println("bound to null");
        }
        Supplier<Supplier<String>> nested = () -> m::secret;
        System.out.println(nested.get().get());
        int[] evaluated = {0};
        Supplier<String> once = new Object() { Method_references get() { evaluated[0]++; return m; } }.get()::secret;
        once.get();
        once.get();
        System.out.println(evaluated[0]);
        Runnable[] rs = new Runnable[3];
        for (int i = 0; i < 3; i++) rs[i] = () -> { };
        System.out.println((rs[0] == rs[1]) + " " + (rs[0].getClass() == rs[1].getClass()));
        Callback cb = System.out::println;
        cb.call("through println");
        Function<int[], int[]> cl = int[]::clone;
        System.out.println(cl.apply(new int[]{7})[0]);
        DoubleUnaryOperator sq = Math::sqrt;
        ObjIntConsumer<StringBuilder> ap = StringBuilder::append;
        StringBuilder sb = new StringBuilder();
        ap.accept(sb, 65);
        System.out.println(sq.applyAsDouble(16) + " " + sb);
    }
    interface Callback { void call(Object o); }
}
