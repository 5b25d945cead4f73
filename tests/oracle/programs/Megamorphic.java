// Calls with more targets than counters, in visible and hidden classes, in two threads.
import java.util.function.IntUnaryOperator;

public class Megamorphic {
    interface Op { int apply(int x); }
    abstract static class Base implements Op {
        int calls;
        public int apply(int x) { calls++; return step(x); }
        abstract int step(int x);
    }
    static final class A extends Base { int step(int x) { return x + 1; } }
    static final class B extends Base { int step(int x) { return x ^ 2; } }
    static final class C extends Base { int step(int x) { return x * 3; } }
    static class D extends Base { int step(int x) { return x - 4; } }
    static final class E extends D { int step(int x) { return super.step(x) + 5; } }
    static final class F extends D { }
    static final class G implements Op { public int apply(int x) { return -x; } }
    static final class H implements Op { public int apply(int x) { return x >> 1; } }
    static final class I implements Op { public int apply(int x) { return x << 1; } }
    static final class J implements Op { public int apply(int x) { if (x % 5 == 0) throw new IllegalStateException(); return x; } }
    static final class K implements Op { public int apply(int x) { return deep(x & 31, x); } }
    static final class L implements Op { public int apply(int x) { return x | 1; } }
    static int deep(int n, int x) { return n == 0 ? x : deep(n - 1, x + n); }

    static int drive(Op[] ops, int rounds, int x) {
        for (int i = 0; i < rounds; i++) {
            try {
                x = ops[i % ops.length].apply(x);
            } catch (IllegalStateException e) {
                x++;
            }
        }
        return x;
    }

    static int steps(Base[] bases, int x) {
        for (int i = 0; i < 300; i++) x = bases[i % bases.length].step(x);
        return x;
    }

    public static void main(String[] args) throws Exception {
        Base[] bases = {new A(), new B(), new C(), new D(), new E(), new F()};
        Op[] few = {bases[0], bases[1]};
        Op[] many = {bases[0], bases[1], bases[2], bases[3], bases[4], bases[5], new G(), new H(), new I(), new J(), new K(), new L(),
                     x -> x + 13, x -> x ^ 14};
        IntUnaryOperator chain = x -> x;
        for (Op op : many) chain = chain.andThen(x -> x + few.length);
        int[] out = new int[2];
        Thread other = new Thread(() -> out[0] = drive(many, 500, 7));
        other.start();
        int x = drive(few, 200, 1) + drive(many, 2000, 2) + steps(bases, 3);
        for (int i = 0; i < 100; i++) x += chain.applyAsInt(i);
        other.join();
        System.out.println(x + out[0]);
    }
}
