/** Loops of all kinds, for profiles of compiled code with strip-mined loops or with the budget in a register. */
class CopiesLoops {
    static int total;
    int field;
    CopiesLoops next;
    static final int[] numbers = new int[1000];
    static final double[] doubles = made();

    static class Late {
        static int value = start();

        static int start() {
            int s = 0;
            for (int i = 0; i < 10; i++) s += i;
            return s;
        }
    }

    interface Shape { int size(int i); }
    static class Square implements Shape { public int size(int i) { return i * i; } }
    static class Line implements Shape { public int size(int i) { return helper(i); } }

    static int helper(int i) { return i + 1; }

    // A class initialiser without calls would make no check and would not be part of a caller's samples.
    static double[] made() { return new double[1000]; }
    static int up(int n) { int s = 0; for (int i = 0; i < n; i++) { s += i ^ total; total++; } return s; }
    static int down(int n) { int s = 0; for (int i = n; i >= 0; i--) { s += i; total += i & 1; } return s; }
    static int threes(int n) { int s = 0; for (int i = -n; i <= n; i += 3) { s ^= i; total--; } return s; }
    static double sum(double[] a) { double s = 0; for (int i = 0; i < a.length; i++) s += a[i]; return s; }
    static void add(int[] a, int[] b) { for (int i = 0; i < a.length; i++) a[i] += b[i] + 1; }

    static int bottom(int n) {
        int i = 0, s = 0;
        do { s += i * 3; total++; i++; } while (i < n);
        return s;
    }

    static int breaks(int n, int at) {
        int s = 0;
        for (int i = 0; i < n; i++) {
            if (i == at) break;
            if ((i & 3) == 1) continue;
            s += i;
            total++;
        }
        return s;
    }

    static int returns(int[] a, int wanted) {
        for (int i = 0; i < a.length; i++) if (a[i] == wanted) { total++; return i; }
        return -1;
    }

    static int caughtOutside(int[] a, int n) {
        int i = 0;
        try {
            for (; i < n; i++) { total += a[i]; }
        } catch (ArrayIndexOutOfBoundsException e) {
            total++;
        }
        return i;
    }

    static int caughtInside(int[] a, int n) {
        int bad = 0;
        for (int i = 0; i < n; i++) {
            try {
                total += a[i];
            } catch (ArrayIndexOutOfBoundsException e) {
                bad++;
            }
        }
        return bad;
    }

    static int sometimesTwo(int n) {
        int s = 0;
        for (int i = 0; i < n; i++) { if ((s & 7) == 3) i++; s += i; total++; }
        return s;
    }

    static int nested(int n) {
        int s = 0;
        for (int i = 0; i < n; i++) for (int j = i; j < n; j++) { s += i * j; total++; }
        return s;
    }

    static int nearEnd() {
        int s = 0;
        for (int i = Integer.MAX_VALUE - 50; i < Integer.MAX_VALUE; i++) { s += i; total++; }
        for (int i = Integer.MIN_VALUE + 50; i > Integer.MIN_VALUE; i--) { s += i; total++; }
        return s;
    }

    // Constant bounds: the check-free version runs where the budget suffices.
    static final int[] few = new int[40];
    static CopiesLoops kept;

    static int fixed() {
        int s = 0;
        for (int i = 0; i < 3; i++) { s += i; total++; }
        for (int i = 0; i < few.length && i < 5; i++) total++;
        for (int i = -2; i <= 100; i++) s ^= few[i & 31] + total;
        return s;
    }

    static int fixedDown(int n) {
        int s = n;
        for (int i = 39; i >= 0; i--) { few[i] += s; s = s * 3 + total; }
        for (int i = 600; i > -5; i -= 7) { total++; s += i; }
        for (int i = 5; i > 5; i--) total++;
        return s;
    }

    static int fixedSteps(int n) {
        int s = 0;
        for (int i = 1; i < 200; i += 13) { s += few[i % 40]; total += s & 1; }
        for (int i = -30000; 30000 > i; i += 1000) { total++; if (i == n * 1000) break; }
        return s;
    }

    static int fixedLeft(int at) {
        int s = 0;
        for (int i = 0; i < 90; i += 3) {
            if (i == at) return s;
            if (i == at - 1) break;
            if ((s & 3) == 1) { s++; continue; }
            s += total++ & 7;
        }
        for (int i = 20; i > 0; i--) if (few[i] == at) { total++; return i; }
        return -s;
    }

    static int fixedThrows(int[] a) {
        int s = 0;
        try {
            for (int i = 50; i >= 0; ) { i -= 2; s += a[50 - i]; total++; }
        } catch (ArrayIndexOutOfBoundsException e) {
            s += total++;
        }
        try {
            for (int i = 0; i < 64; i++) { total += i / (a.length - i); few[i] = s; }
        } catch (ArithmeticException | ArrayIndexOutOfBoundsException e) {
            total++;
        }
        return s;
    }

    static int picked(int i, int at) {
        if (i == at) return few[3];
        if (i > at + 20) throw new IllegalStateException();
        return total++ & 1;
    }

    static int fixedCalls(int at) {
        int s = 0;
        try {
            for (int i = 0; i < 77; i++) s += picked(i, at) + helper(i);
        } catch (IllegalStateException e) {
            s++;
        }
        return s;
    }

    static volatile int changes;
    static boolean some = true;

    static double scaled(int n, double by) { return n * by + total; }

    /** Inlined methods have arguments, and operands below them, that differ in each iteration. */
    static long fixedInlines() {
        double s = 0;
        for (int i = 0; i < 120; i += 3) {
            changes--;
            s = s * 3 % 65537 + (some ? helper(changes) : i) + scaled(some ? helper(changes++) : helper(i), i - s);
        }
        return (long) s;
    }

    static int fixedNested(int n) {
        int s = 0;
        for (int k = 0; k < n; k++) {
            for (int i = 0; i < 8; i++) { s += i ^ k; total++; }
            for (int i = 8; i < 16; i++) if ((s += i) % 11 == 0) break;
        }
        return s;
    }

    /** The first loop sets the second loop's start. */
    static int fixedInRow(int n) {
        int s = 0, i = 0, j;
        for (; ; i++) { j = 2; if (i >= 30) break; s += few[i] + n; total++; }
        for (; j < 60; j += 2) { s += j; total++; }
        for (i = 0; i < 10; i++) {
            int k = n;
            do { s += k; total++; } while (++k < 9);
        }
        return s;
    }

    static int fixedNew(int n) {
        for (int i = 0; i < 100; i++) {
            CopiesLoops c = new CopiesLoops();
            c.field = i;
            if (i < 3 || i == n) kept = c;
        }
        return kept.field;
    }

    static int steps(int[] a, int from, int to) {
        int s = 0, i = from;
        try {
            for (; i < to; i += 5) { if (a[i] == -77) return s; s += a[i]; total++; }
            for (; i > from; i -= 3) { if ((s & 63) == 17) break; s += a[i] ^ i; total--; }
        } catch (ArrayIndexOutOfBoundsException e) {
            total += i;
        }
        return s + i;
    }

    static int fixedAll(int round) {
        int s = fixed() + fixedDown(round) + fixedSteps(round - 30) + fixedLeft(round) + fixedLeft(-1);
        s += fixedThrows(new int[round]) + fixedThrows(few) + (int) fixedInlines() + fixedCalls(round + 10) + fixedCalls(round * 3);
        s += fixedNested(round) + fixedInRow(round) + fixedNew(round * 2);
        return s + steps(numbers, round, 1000) + steps(numbers, 3 * round, 1001 + round) + steps(few, 0, 35 + round);
    }

    static int chain(CopiesLoops c) {
        int s = 0;
        for (; c != null; c = c.next) s += c.field;
        return s;
    }

    static CopiesLoops build(int n) {
        CopiesLoops first = null;
        for (int i = 0; i < n; i++) {
            CopiesLoops c = new CopiesLoops();
            c.field = i;
            c.next = first;
            first = c;
        }
        return first;
    }

    static int shapes(Shape shape, int n) {
        int s = 0;
        for (int i = 0; i < n; i++) s += shape.size(i);
        return s;
    }

    static int helped(int n) { int s = 0; for (int i = 0; i < n; i++) s += helper(i); return s; }

    static int late(int n, boolean now) {
        int s = 0;
        for (int i = 0; i < n; i++) s += now && i > n / 2 ? Late.value : i;
        return s;
    }

    static int digits(long n) { int d = 0; while (n != 0) { n /= 10; d++; total++; } return d; }

    static int choose(int n) {
        int s = 0;
        for (int i = 0; i < n; i++) {
            switch (i % 5) {
                case 0: s += 1; break;
                case 3: s ^= i; break;
                default: total += s & 1;
            }
        }
        return s;
    }

    static synchronized int locked(int n) { int s = 0; for (int i = 0; i < n; i++) s += total++ & 3; return s; }

    static long all(int round, CopiesLoops list) {
        int n = 100 + round * 7;
        long s = up(n) + down(n) + threes(n) + (long) sum(doubles) + bottom(n) + breaks(n, n / 2 + round);
        add(numbers, numbers);
        s += returns(numbers, -1) + caughtOutside(numbers, 970 + round) + caughtInside(numbers, 995 + round % 10);
        s += sometimesTwo(n) + nested(30) + nearEnd() + chain(list) + chain(build(n)) + helped(n);
        s += shapes(new Square(), n) + (round > 50 ? shapes(new Line(), n) : 0) + late(n, round > 55);
        return s + digits(s) + choose(n) + locked(n) + fixedAll(round);
    }

    public static void main(String[] args) {
        long s = 0;
        CopiesLoops list = build(500);
        for (int i = 0; i < doubles.length; i++) doubles[i] = i * 0.5;
        for (int round = 0; round < 60; round++) s = s * 31 + all(round, list);
        for (int i = 0; i < 50000; i++) { s += i; total++; }
        System.out.println(s + " " + total);
    }
}
