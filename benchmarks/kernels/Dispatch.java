/** Virtual and interface calls at sites with one, two and many receiver classes. */
final class Dispatch implements Kernel {
    private interface Op { int apply(int x); }

    private abstract static class Unit implements Op {
        int calls;
        abstract int twist(int x);
        @Override public int apply(int x) { calls++; return twist(x); }
    }
    private static final class Add extends Unit { @Override int twist(int x) { return x + 7; } }
    private static final class Xor extends Unit { @Override int twist(int x) { return x ^ 0x5a5a; } }
    private static final class Mul extends Unit { @Override int twist(int x) { return x * 31; } }
    private static final class Rot extends Unit { @Override int twist(int x) { return x << 5 | x >>> 27; } }
    private static final class Neg implements Op { @Override public int apply(int x) { return -x; } }
    private static final class Pair implements Op {
        private final Op a, b;
        Pair(Op a, Op b) { this.a = a; this.b = b; }
        @Override public int apply(int x) { return a.apply(b.apply(x)); }
    }

    private static int drive(Op[] ops, int rounds, int x) {
        for (int i = 0; i < rounds; i++) x = ops[i % ops.length].apply(x);
        return x;
    }

    @Override
    public long run() {
        Unit add = new Add(), xor = new Xor();
        Op[] one = {add}, two = {add, xor}, many = {add, xor, new Mul(), new Rot(), new Neg(), new Pair(new Mul(), new Neg()), x -> x + 1};
        long sum = 0;
        for (int i = 0; i < 700; i++) sum = sum * 31 + drive(one, 2500, i) + drive(two, 2500, i) + drive(many, 4000, i);
        return sum * 31 + add.calls + xor.calls;
    }
}
