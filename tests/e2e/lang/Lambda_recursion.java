// Functional style: recursion through fields, currying, suppliers of suppliers, exceptions in lambdas.
import java.util.function.*;

public class Lambda_recursion {
    static IntUnaryOperator fact;
    interface Tri<A, B, C, R> { R apply(A a, B b, C c) throws Exception; }
    interface Rec<T> extends Function<Rec<T>, T> { }

    static <T, R> Function<T, R> memo(Function<T, R> f) {
        var cache = new java.util.HashMap<T, R>();
        return t -> {
            R r = cache.get(t);
            if (r == null) cache.put(t, r = f.apply(t));
            return r;
        };
    }

    static Function<Integer, Long> fib;

    public static void main(String[] args) throws Exception {
        fact = n -> n <= 1 ? 1 : n * fact.applyAsInt(n - 1);
        System.out.println(fact.applyAsInt(10));
        Function<Integer, Function<Integer, Function<Integer, Integer>>> curried = a -> b -> c -> a * b + c;
        System.out.println(curried.apply(3).apply(4).apply(5));
        Supplier<Supplier<String>> ss = () -> () -> "deep";
        System.out.println(ss.get().get());
        fib = memo(n -> n < 2 ? (long) n : fib.apply(n - 1) + fib.apply(n - 2));
        System.out.println(fib.apply(80));
        Tri<Integer, Long, String, Object> tri = (a, b, c) -> { if (a > 5) throw new Exception("too big " + c); return a + b + c; };
        System.out.println(tri.apply(1, 2L, "three"));
        try {
            tri.apply(6, 0L, "x");
        } catch (Exception e) {
            System.out.println(e.getMessage());
        }
        Function<Integer, Integer> inc = x -> x + 1, dbl = x -> x * 2;
        System.out.println(inc.andThen(dbl).apply(5) + " " + inc.compose(dbl).apply(5) + " " + Function.<Integer>identity().apply(9));
        Predicate<String> empty = String::isEmpty;
        System.out.println(empty.negate().and(s -> s.length() < 3).or(s -> s.startsWith("zz")).test("zzzzz"));
        BiFunction<Double, Double, Double> pow = Math::pow;
        System.out.println(pow.andThen(Double::intValue).apply(2.0, 10.0));
        Rec<String> r = self -> "tied " + (self != null);
        System.out.println(r.apply(r));
        int base = 10;
        long wide = 1L << 33;
        double frac = 0.25;
        String str = "s";
        DoubleSupplier d = () -> base + wide + frac + str.length();
        System.out.println(d.getAsDouble());
        Runnable[] rs = new Runnable[5];
        for (int i = 0; i < 5; i++) { int k = i; rs[i] = () -> System.out.print(k * k + " "); }
        for (Runnable x : rs) x.run();
        System.out.println();
        IntFunction<int[]> mk = int[]::new;
        System.out.println(mk.apply(7).length);
        ToLongFunction<Object> hash = Object::hashCode;
        System.out.println(hash.applyAsLong("abc"));
    }
}
