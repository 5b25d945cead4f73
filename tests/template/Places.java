// Places at which template code must exit, or its registers run short: `Places` prints the result of each. Each runs
// often enough to be compiled before its rare part first happens.
import java.util.ArrayList;
import java.util.List;

public class Places {
    static long total;
    static int never;

    // ---- registers ----

    static long sum(int a, long b, long c, int d) { return a * 31 + b * 7 + c * 3 + d; }
    static long sum(double a, long b, double c, int d) { return (long)(a * 31) + b * 7 + (long)c + d; }

    // Ten locals in registers, and operands that must be loaded below a comparison.
    static long compareFirst(int z) {
        int a = z * 3, b = z * 5, c = z * 7, d = z * 9, e = z * 11, f = z * 13, g = z * 15, h = z * 17, i = z * 19, k = z * 21;
        return sum(a, 0x123456789abcdefL, 0x77777777777L, a != 0 ? 1 : 2) + sum(b, 0x123456789abcdefL, 0x77777777777L, b > 4 ? 1 : 2) +
               sum(c, 0x123456789abcdefL, 0x77777777777L, c < k ? 1 : 2) + d + e + f + g + h + i;
    }
    static long compareLast(int z) {
        long a = z * 3L, b = z * 5L, c = z * 7L, d = z * 9L, e = z * 11L, f = z * 13L, g = z * 15L, h = z * 17L, i = z * 19L, k = z * 21L;
        return sum((int)k, 0x123456789abcdefL, 0x77777777777L, k != 0 ? 1 : 2) + sum((int)a, 0x123456789abcdefL, 0x66666666666L, a == b ? 1 : 2) + c + d + e + f + g + h + i;
    }
    static long compareDoubles(int z) {
        double a = z * 3.0, b = z * 5.0, c = z / 7.0;
        return sum(a, 0x123456789abcdefL, 1e100, a < b ? 1 : 2) + sum(c, 0x123456789abcdefL, 0.0, c >= 0.5 ? 1 : 2);
    }
    static long manyOperands(int a, int b, long c, double d) {
        return a + (b * (c + (a - (b ^ (c + (a * (b - (c | (a + (b + (c - (a & (b + (c ^ (a / (b | 1) + (c % (a | 1) + (long)d))))))))))))))));
    }
    static double manyDoubles(double a, double b) {
        return a + (b * (a - (b + (a * (b - (a + (b * (a - (b + (a * (b - (a + (b + (a - (b * (a + (b - (a * (b + a)))))))))))))))))));
    }
    static long manyLocals(int n) {
        int a0 = n, a1 = a0 + 1, a2 = a1 * 3, a3 = a2 - n, a4 = a3 ^ a1, a5 = a4 + a2, a6 = a5 - a3, a7 = a6 | a4, a8 = a7 + 1, a9 = a8 * 5;
        long b0 = a0, b1 = b0 + a1, b2 = b1 * a2, b3 = b2 - a3, b4 = b3 ^ a4, b5 = b4 + a5, b6 = b5 - a6, b7 = b6 | a7, b8 = b7 + a8, b9 = b8 * a9;
        double c0 = b0, c1 = c0 + 1, c2 = c1 * 3, c3 = c2 - a3, c4 = c3 / 2, c5 = c4 + a5, c6 = c5 - a6, c7 = c6 * 2, c8 = c7 + 1, c9 = c8 / 3;
        long d0 = b9, d1 = d0 + 1, d2 = d1 * 3, d3 = d2 - n, d4 = d3 ^ d1, d5 = d4 + d2, d6 = d5 - d3, d7 = d6 | d4, d8 = d7 + 1, d9 = d8 * 5;
        String last = "s" + n, other = last;
        if (other == null) return 0;
        return b9 + d9 + (long)(c9 + c0 + c5) + a9 + last.length() + other.length() + d0 + d7 + a0;
    }
    static int divideJoined(int a, boolean b, int c) { return a / (b ? c : 3) + (a << (b ? c : 40)) + (a >>> (b ? 33 : c)) + a % (b ? -1 : c); }
    static long divideJoined(long a, boolean b, long c) { return a / (b ? c : -1) + (a << (b ? (int)c : 70)) + a % (b ? -1 : c); }

    // ---- unresolved when the code is made ----

    static class Late {
        static int made = 5;
        final int a;
        Late(int a) { this.a = a; made++; }
        int get() { return a; }
        static int twice(int a) { return 2 * a; }
    }
    interface Says { default int say(int a) { return a + 100; } }
    static class Loud implements Says {}
    static class Other { static Object[] array = {"x"}; static long wide = 1L << 40; static volatile double real = 1.5; }

    static long lateInLoop(int n) {
        long r = 0;
        for (int i = 0; i < n; i++) {
            int operand = i * 3;
            r += operand;
            if (i >= 200) {
                int kept = i * 7;
                r += kept + new Late(i).get() + Late.twice(i) + Late.made;
                Says s = i % 2 == 0 ? new Loud() : new Loud() {};
                r = r * 31 + s.say(i) + Other.wide + (long)Other.real;
                Other.real += 0.5;
                Object o = Other.array;
                r += o instanceof Object[] ? 1 : 2;
                r += ((Object[])o).length + new int[i % 3][2].length + new String[i % 4].length + new byte[2][i % 5][1][].length;
                String text = "a" + i + r;
                r += text.hashCode();
                Runnable run = () -> total++;
                run.run();
            }
        }
        return r;
    }

    static long lateNull(int i, Object o) {
        Late late = (Late)o;
        return (o instanceof Late ? 1 : 0) + (late == null ? i : late.a);
    }

    // ---- type tests ----

    static int tests(Object o) {
        int r = 0;
        if (o instanceof Integer) r |= 1;
        if (o instanceof Number) r |= 2;
        if (o instanceof Comparable) r |= 4;
        if (o instanceof int[]) r |= 8;
        if (o instanceof Object[]) r |= 16;
        if (o instanceof Number[]) r |= 32;
        if (o instanceof Comparable[]) r |= 64;
        if (o instanceof Cloneable) r |= 128;
        if (o instanceof int[][]) r |= 256;
        return r;
    }
    static int casts(Object o, int to) {
        try {
            switch (to) {
                case 0: return ((Integer)o).intValue();
                case 1: return ((Comparable<?>)o).hashCode();
                case 2: return ((int[])o).length;
                case 3: return ((Object[])o).length;
                case 4: return ((Comparable[])o).length;
                default: return ((Number)o).intValue();
            }
        } catch (ClassCastException e) {
            return -1;
        } catch (NullPointerException e) {
            return -2;
        }
    }
    static int store(Object[] to, int at, Object o) {
        try {
            to[at] = o;
            return 1;
        } catch (ArrayStoreException e) {
            return 2;
        } catch (ArrayIndexOutOfBoundsException e) {
            return 3;
        } catch (NullPointerException e) {
            return 4;
        }
    }

    // ---- arrays of several dimensions ----

    static int dimensions(int a, int b, int c) {
        try {
            int[][][] x = new int[a][b][c];
            long[][] y = new long[a][];
            return x.length + (a > 0 ? x[0].length * 10 + (b > 0 ? x[0][0].length * 100 : 0) : 0) + y.length;
        } catch (NegativeArraySizeException e) {
            return -Integer.parseInt(e.getMessage());
        }
    }

    // ---- monitors ----

    static int held;
    static synchronized int lockedStatic(int n) {
        if (n % 5 == 0) throw new IllegalStateException("static " + n);
        held += Thread.holdsLock(Places.class) ? 1 : 0;
        return n;
    }
    synchronized int locked(int n) {
        if (n % 7 == 0) throw new IllegalStateException("instance " + n);
        held += Thread.holdsLock(this) ? 1 : 0;
        return n < 3 ? n : locked(n / 2) + 1;
    }
    static int nested(Object a, Object b, int n) {
        synchronized (a) {
            synchronized (b) {
                synchronized (a) {
                    if (n % 11 == 0) throw new IllegalArgumentException();
                    if (n % 13 == 0) return Thread.holdsLock(a) && Thread.holdsLock(b) ? 1 : 0;
                }
                held += Thread.holdsLock(a) ? 1 : 1000;
            }
            held += Thread.holdsLock(b) ? 1000 : 1;
        }
        return n;
    }
    static void monitors() {
        Places p = new Places();
        Object a = new Object(), b = new Object();
        for (int i = 0; i < 1000; i++) {
            try { total += lockedStatic(i); } catch (IllegalStateException e) { total += e.getMessage().length(); }
            try { total += p.locked(i); } catch (IllegalStateException e) { total += e.getMessage().length(); }
            try { total += nested(a, b, i); } catch (IllegalArgumentException e) { total += 3; }
            try { total += nested(a, i % 50 == 0 ? null : b, i); } catch (RuntimeException e) { total += e.getClass().getName().length(); }
        }
        System.out.println(held + " " + Thread.holdsLock(Places.class) + Thread.holdsLock(p) + Thread.holdsLock(a) + Thread.holdsLock(b));
    }

    // ---- the end of the stack ----

    static int depth;
    static long down(int a, long b, Object c) {
        depth++;
        return a + down(a + 1, b * 3, c) + b;
    }
    synchronized long downLocked(int a) {
        depth++;
        return a < 0 ? 0 : downLocked(a + 1) + 1;
    }
    static long downThrough(Says s, int a) {
        depth++;
        return s.say(a) + downThrough(s, a + 1);
    }
    static void overflows() {
        Places p = new Places();
        for (int i = 0; i < 6; i++) {
            depth = 0;
            try {
                if (i % 3 == 0) down(1, 2, p);
                else if (i % 3 == 1) p.downLocked(0);
                else downThrough(new Loud(), i);
            } catch (StackOverflowError e) {
                System.out.println("overflow " + (depth > 500) + " " + Thread.holdsLock(p));
            }
            for (int k = 0; k < 300; k++) total += manyOperands(k, k + 1, k, k) + p.small(k);
        }
    }
    synchronized int small(int k) { return k & 3; }

    // ---- exceptions in the middle of expressions ----

    static int[] data = new int[4];
    static int broken(int i, int[] a, String s, int d) {
        int r = i;
        try {
            r += i * 2 + a[i & 7] + s.length() + i / d;
            r += 1000;
        } catch (ArrayIndexOutOfBoundsException e) {
            r += e.getMessage().length();
        } catch (NullPointerException e) {
            r += 50;
        } catch (ArithmeticException e) {
            r = -r;
        } finally {
            r ^= 5;
        }
        return r;
    }

    public static void main(String[] args) {
        for (int n = 0; n < 600; n++) {
            total = total * 31 + compareFirst(n & 1) + compareLast(n & 1) + compareDoubles(n & 3) + manyLocals(n);
            total += manyOperands(n, n - 50, n * 77L, n / 3.0) + (long)manyDoubles(n, n / 2.0 - 10);
            total += divideJoined(n - 300, n % 2 == 0, n + 1) + divideJoined(n - 300L, n % 3 == 0, n + 1L);
        }
        System.out.println("registers " + total);
        for (int n = 0; n < 5; n++) total = total * 31 + lateInLoop(n == 3 ? 150 : 400);
        for (int n = 0; n < 400; n++) total = total * 31 + lateNull(n, n < 300 ? null : new Late(n));
        System.out.println("late " + total);
        Object[] all = {null, 5, 5.5, "text", new int[3], new Object[2], new Integer[1], new String[4], new int[2][2], new Number[0], new ArrayList<String>(), List.of()};
        for (int n = 0; n < 300; n++)
            for (Object o : all) {
                total = total * 31 + tests(o) + casts(o, n % 6);
                for (Object to : all)
                    if (to == null || to instanceof Object[]) total = total * 31 + store((Object[])to, n % 5 - 1, to == all[5] ? null : o);
            }
        System.out.println("types " + total);
        total = 0;
        for (int n = 0; n < 400; n++) total = total * 31 + dimensions(n % 4 - 1, n % 3, n % 5 - 1 < 0 && n > 300 ? -3 : 2);
        System.out.println("dimensions " + total);
        monitors();
        overflows();
        for (int n = 0; n < 1000; n++) total = total * 31 + broken(n, n % 10 == 0 ? null : data, n % 17 == 0 ? null : "text", n % 4);
        System.out.println("exceptions " + total);
    }
}
