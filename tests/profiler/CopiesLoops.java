/** Loops of all kinds, for profiles of compiled code in which loops run in strips or keep the budget in a register. */
class CopiesLoops {
    static int total;
    int field;
    CopiesLoops next;
    static final int[] numbers = new int[1000];
    static final double[] doubles = new double[1000];

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
        return s + digits(s) + choose(n) + locked(n);
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
