// Invalid code deep in the stack costs nothing until control returns to it: calls above it neither search for it nor
// slow down with its depth. Each invalid frame deoptimises when control returns, by a result, by an exception and from
// several levels, even when other code was invalidated meanwhile.
// vm: -Xss8m
// timeout: 30
public class Deep_invalid {
    static class Base {
        int value(int x) { return x + 1; }
    }

    static class Late extends Base {
        @Override int value(int x) { return x + 1000; }
    }

    static class Other {
        long value(long x) { return x * 2; }
    }

    static class LateOther extends Other {
        @Override long value(long x) { return x * 2 + 1_000_000; }
    }

    static class Third {
        int value(int x) { return x; }
    }

    static class LateThird extends Third {
        @Override int value(int x) { return x + 1; }
    }

    static Base base = new Base();
    static Other other = new Other();
    static Third third = new Third();
    static int stage;

    static int fib(int n) { return n < 2 ? n : fib(n - 1) + fib(n - 2); }

    static void breakBase() { base = new Late(); }
    static void breakOther() { other = new LateOther(); }

    static void breakThird() { third = new LateThird(); }

    static int bottom(int work) {
        if (stage == 1) breakBase();
        int sum = fib(work);
        if (stage == 3) throw new IllegalStateException("bottom");
        return sum;
    }

    static int down(int depth, int work) { return depth == 0 ? bottom(work) : down(depth - 1, work) + 1; }

    // Assumes Base.value before the call and after it.
    static int outer(int depth, int work) {
        int before = base.value(1);
        int inner;
        try {
            inner = down(depth, work);
        } catch (IllegalStateException e) {
            inner = -1;
        }
        return before + inner + base.value(1);
    }

    // Both assumptions, at several levels of one stack.
    static long levels(int n, int depth) {
        long before = base.value(n) + other.value(n);
        long inner;
        if (n == 0) {
            inner = down(depth, 4);
            if (stage == 4) breakOther();
            inner += fib(depth);
        } else {
            inner = levels(n - 1, depth);
        }
        return before + inner + base.value(n) + other.value(n);
    }

    static double floats(int depth, double x) {
        int before = third.value(1);
        double inner = depth == 0 ? breaking(x) : floats(depth - 1, x) + 0.5;
        return before * inner + third.value(1);
    }

    static double breaking(double x) {
        if (stage == 5) breakThird();
        return x * 1.25 + fib(5);
    }

    public static void main(String[] args) {
        for (int i = 0; i < 40_000; i++) {
            outer(2, 2);
            levels(3, 2);
            floats(3, 1.5);
        }
        System.out.println(outer(3, 10));
        System.out.println(levels(20, 10));
        System.out.println(floats(30, 1.5));
        stage = 1;
        System.out.println(outer(3_000, 30));
        System.out.println(outer(3, 10));
        stage = 3;
        System.out.println(outer(100, 10));
        stage = 4;
        System.out.println(levels(20, 20));
        System.out.println(levels(20, 20));
        stage = 5;
        System.out.println(floats(30, 1.5));
        System.out.println(floats(30, 1.5));
    }
}
