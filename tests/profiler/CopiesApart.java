import java.lang.reflect.Method;
import java.util.function.IntUnaryOperator;

/**
 * Methods with and without loops, called in every way: from compiled code and the interpreter, by reflection, by the
 * class library, with arguments in registers of all kinds and on the stack, and with callees that throw.
 */
public final class CopiesApart {
    private int field = 1;
    private static int sum;

    private int leaf(int x) {
        return field += x & 3;
    }

    private int calls(int x) {
        return x <= 0 ? leaf(x) : leaf(x) + calls(x - 1);
    }

    private int loop(int n) {
        int s = 0;
        for (int i = 0; i < n; i++) s += leaf(i);
        return s;
    }

    private synchronized int lockingLoop(int n) {
        int s = 0;
        for (int i = 0; i < n; i++) s += leaf(i);
        return s;
    }

    // Values of all kinds: constant in loops, changed in them, changed between them; with calls within expressions.
    private static double kinds(int n, double d, long l, String text, CopiesApart o) {
        float f = 1;
        Object last = null;
        double sum = d + o.nested(n, l > 0 ? text.length() : 0);
        for (int i = 0; i < n; i++) {
            sum += d * o.leaf(i) + Math.max(inner(o, i, text), i) + o.loop(2);
            for (long k = 0; k < 3; k++) {
                l += k * o.leaf((int) k);
                if (l % 7 == 0) continue;
                f += (float) l;
                last = text + l;
            }
            try {
                l += throwing(i);
            } catch (IllegalStateException e) {
                last = e;
                d = -d;
            }
        }
        return sum + f + l + (last == null ? 0 : last.toString().length());
    }

    private static int inner(CopiesApart o, int i, String text) {
        int s = 0, at = text.length();
        do s += o.leaf(s) + text.charAt(--at); while (at > 0);
        return s;
    }

    private int nested(int n, int m) {
        int s = 0;
        for (int i = 0; i < n; i++) {
            if (i == n - 1) return s + leaf(i);
            for (int j = i; ; j++) {
                if (j > m) break;
                s += field ^ loop(j & 3);
            }
        }
        return -s;
    }

    private double many(int a, long b, double c, Object d, float e, int f, int g, int h, int i, Object j, double k, double l, double m,
                        double n, double o, double p, double q, double r) {
        field++;
        return (a + b + f + g + h + i) * c + d.hashCode() + e + j.hashCode() + k + 2 * l + 3 * m + 4 * n + 5 * o + 6 * p + 7 * q + 8 * r;
    }

    private double manyMore(int depth, Object d, double r) {
        return depth == 0 ? field : many(1, 2, 3, d, 5, 6, 7, 8, 9, d, 10, 11, 12, 13, 14, 15, 16, r) + manyMore(depth - 1, d, r);
    }

    private synchronized int locked(int x) {
        return field + x;
    }

    private static int throwing(int x) {
        if (sum++ % 3 == 0) throw new IllegalStateException("x" + x);
        return x;
    }

    private static int catching(int x) {
        try {
            return throwing(x);
        } catch (IllegalStateException e) {
            return e.getMessage().length();
        }
    }

    public static int reflected(int x) {
        return sum += x;
    }

    private static int lambda(IntUnaryOperator f, int x) {
        return f.applyAsInt(x);
    }

    public static void main(String[] args) throws Exception {
        CopiesApart o = new CopiesApart();
        Method reflected = CopiesApart.class.getMethod("reflected", int.class);
        int result = 0;
        double real = 0;
        for (int i = 0; i < 60; i++) {
            result += o.leaf(i) + o.calls(7) + o.loop(5) + o.locked(i) + catching(i) + (Integer) reflected.invoke(null, i);
            result += lambda(x -> o.leaf(x) + sum, i);
            real += o.manyMore(3, "d" + i, i) + kinds(i % 7, i / 3.0, i, "t" + i, o) + o.lockingLoop(i & 7);
        }
        Object[] words = {"c", "a", "b", "d"};
        java.util.Arrays.sort(words, (a, b) -> o.leaf(1) > 0 ? a.toString().compareTo(b.toString()) : 0);
        System.out.println(result + " " + real + " " + words[0] + words[3]);
    }
}
