// Lambdas capturing every type, many captures, nested, in constructors, statics and interfaces.
import java.util.*;
import java.util.function.*;

public class Lambda_captures {
    final int field;
    final Supplier<Integer> inCtor;
    static final Supplier<String> STATIC = () -> "static init";
    int mutable = 1;

    Lambda_captures(int p) {
        field = p;
        int local = p * 2;
        inCtor = () -> local + this.field + mutable;
    }

    interface Shape { double area(); static Shape of(double r) { return () -> r * r; } default Supplier<Double> twice() { return () -> area() * 2; } }
    interface Wide { String f(long a, double b, int c, long d, Object e); }

    static String all(boolean z, byte b, char c, short s, int i, long l, float f, double d, String str, int[] a) {
        Supplier<String> x = () -> "" + z + b + c + s + i + l + f + d + str + a[0];
        a[0]++;
        return x.get();
    }

    static <T> List<Supplier<T>> each(List<T> in) {
        List<Supplier<T>> out = new ArrayList<>();
        for (T t : in) out.add(() -> t);
        return out;
    }

    static int depth(int n) { return n == 0 ? 0 : ((IntSupplier) () -> depth(n - 1) + 1).getAsInt(); }

    public static void main(String[] args) {
        Lambda_captures o = new Lambda_captures(5);
        o.mutable = 100;
        System.out.println(o.inCtor.get() + " " + STATIC.get() + " " + Shape.of(3).area() + " " + Shape.of(2).twice().get());
        System.out.println(all(true, (byte) 1, 'c', (short) 2, 3, 4L << 33, 5f, 6d, "s", new int[]{9}));
        for (Supplier<Integer> s : each(List.of(1, 2, 3))) System.out.print(s.get() + " ");
        System.out.println(depth(40));
        long big = 1L << 45;
        double d = 0.125;
        Wide w = (a, b, c, e, f) -> a + b * d + c + big + e + " " + f;
        System.out.println(w.f(1, 2, 3, 4, "five"));
        Function<Integer, Function<Integer, Function<Integer, Integer>>> n = a -> { int x = a * 2; return b -> { int y = x + b; return c -> x + y + c; }; };
        System.out.println(n.apply(1).apply(2).apply(3));
        Runnable r = () -> { class L { int v = o.field; } record R(int a) { } System.out.println(new L().v + " " + new R(3)); };
        r.run();
        Callable<Integer> thrower = () -> { throw new Exception("checked"); };
        try {
            thrower.call();
        } catch (Exception e) {
            System.out.println(e.getMessage());
        }
        Object lock = new Object();
        int[] total = {0};
        Runnable sync = () -> { synchronized (lock) { total[0] += 2; } };
        for (int i = 0; i < 500; i++) sync.run();
        System.out.println(total[0]);
        BinaryOperator<UnaryOperator<Integer>> compose = (f, g) -> x -> g.apply(f.apply(x));
        System.out.println(compose.apply(x -> x + 1, x -> x * 10).apply(4));
        Iterator<Integer> gen = new Iterator<>() {
            int i;
            final IntUnaryOperator step = x -> x + i;
            public boolean hasNext() { return i < 4; }
            public Integer next() { return step.applyAsInt(i++); }
        };
        while (gen.hasNext()) System.out.print(gen.next() + " ");
        System.out.println();
    }
    interface Callable<T> { T call() throws Exception; }
}
