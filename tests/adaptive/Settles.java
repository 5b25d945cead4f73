// A call site whose receivers are of four classes until its method is optimised, and of one of them from then on, for the seconds
// that the argument says. A branch changes sides, too. Nothing of this makes optimised code wrong.
public class Settles {
    interface Op { int apply(int x); }

    static class A implements Op {
        int calls;

        public int apply(int x) { calls++; return x * 3 + 1; }
    }
    static class B implements Op {
        public int apply(int x) { return (x >> 1) ^ 5; }
    }
    static class C implements Op {
        public int apply(int x) { return x - 7; }
    }
    static class D implements Op {
        public int apply(int x) { return x ^ 0x55; }
    }

    static int loop(Op[] ops, int n) {
        int s = 1;
        for (int i = 0; i < n; i++) s = ops[i & 3].apply(s);
        return s;
    }

    static int branch(Op op, int i, int limit) {
        int s = op.apply(i);
        return (s & 15) < limit ? s + i : s ^ i;
    }

    static int check(Op[] ops, Op op, int limit) {
        int s = loop(ops, 1003) * 31;
        for (int i = 0; i < 1003; i++) s += branch(op, s + i, limit);
        return s;
    }

    public static void main(String[] args) {
        A a = new A();
        Op b = new B();
        Op[] several = {a, b, new C(), new D()}, one = {a, a, a, a};
        int s = 0;
        for (int i = 0; i < 300; i++) s += check(several, b, 13);
        System.out.println(s);
        long end = System.nanoTime() + (long) (Double.parseDouble(args[0]) * 1e9);
        int expected = check(one, b, 2);
        long wrong = 0;
        do {
            for (int i = 0; i < 100; i++) wrong += check(one, b, 2) == expected ? 0 : 1;
        } while (System.nanoTime() < end);
        System.out.println(expected + " " + wrong);
    }
}
