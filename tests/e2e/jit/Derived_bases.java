// timeout: 400
// Arrays reached through a field, a row or a local that the loop itself clears. The indexes are far away from the loop
// counter, so a derived address without the base would lie outside the array. A collection at any call in the loop
// must find the array by its base. Only the loop refers to the array then, and arrays of the same size overwrite one
// collected too early. With -Xjit:poll-stress each of these calls collects.
import java.util.function.IntUnaryOperator;

public class Derived_bases {
    static Object junk;
    static int checks, wrong;
    static final int FAR = 1 << 30;

    int[] field;
    final int[] fixed;
    long[] wide;

    Derived_bases(int n, int seed) {
        field = ints(n, seed);
        fixed = ints(n, seed);
        wide = new long[n];
        for (int i = 0; i < n; i++) wide[i] = at(seed, i) * 3L;
    }

    static int at(int seed, int i) { return (seed + i) * 0x9e3779b1 ^ i; }

    static int[] ints(int n, int seed) {
        int[] a = new int[n];
        for (int i = 0; i < n; i++) a[i] = at(seed, i);
        return a;
    }

    static void overwrite(int n) {
        int[] a = new int[n];
        for (int i = 0; i < n; i++) a[i] = -1;
        junk = a;
    }

    static synchronized int locked(int n) {
        overwrite(n);
        return n;
    }

    static int refuse(int n) {
        if ((n & 1) == 0) throw new IllegalStateException();
        overwrite(n);
        return n;
    }

    // The field is cleared before the loop begins.
    static int taken(int n, int seed) {
        Derived_bases d = new Derived_bases(n, seed);
        int[] a = d.field;
        d.field = null;
        int s = 0;
        for (int i = FAR; i < FAR + n; i++) {
            s = s * 31 + a[i - FAR];
            overwrite(n);
        }
        return s;
    }

    static int takenBackwards(int n, int seed) {
        Derived_bases d = new Derived_bases(n, seed);
        long[] a = d.wide;
        d.wide = null;
        long s = 0;
        for (int i = FAR + n - 1; i >= FAR; i--) {
            s = s * 31 + a[i - FAR];
            overwrite(n * 2);
        }
        return (int) (s ^ s >>> 32);
    }

    // Replaced halfway: the rest is read from the new array.
    static int replaced(int n, int seed) {
        Derived_bases d = new Derived_bases(n, seed);
        int s = 0;
        for (int i = 0; i < n; i++) {
            s = s * 31 + d.field[i];
            if (i == n / 2) d.field = ints(n, seed + 1);
            overwrite(n);
        }
        return s;
    }

    static int fixed(int n, int seed) {
        Derived_bases d = new Derived_bases(n, seed);
        int s = 0;
        for (int i = n - 1; i >= 0; i--) {
            s = s * 31 + d.fixed[i] + d.fixed[n - 1 - i];
            overwrite(n);
        }
        return s;
    }

    // The last access follows the last call, after the loop.
    static int behind(int n, int seed) {
        int[] a = ints(n, seed);
        int s = 0, i = FAR;
        for (; i < FAR + n - 1; i++) {
            s = s * 31 + a[i - FAR];
            if (i - FAR == n - 2) break;
            overwrite(n);
        }
        locked(n);
        return s * 31 + a[i - FAR];
    }

    static int inLock(int n, int seed) {
        int[] a = ints(n, seed);
        int s = 0;
        for (int i = FAR; i < FAR + n; i++) {
            int x = a[i - FAR];
            s += locked(n) * x;
            s = s * 31 + a[i - FAR];
        }
        return s;
    }

    static int inHandler(int n, int seed) {
        int[] a = ints(n, seed);
        int s = 0;
        for (int i = FAR; i < FAR + n; i++) {
            int x = a[i - FAR];
            try {
                s += refuse(i - FAR) * x;
            } catch (IllegalStateException e) {
                s = s * 31 + a[i - FAR];
            }
            overwrite(n);
        }
        return s;
    }

    static int throughCall(int n, int seed, IntUnaryOperator f) {
        int[] a = ints(n, seed);
        int s = 0;
        for (int i = n - 1 - FAR; i >= -FAR; i--) s = s * 31 + f.applyAsInt(a[i + FAR]) + a[i + FAR];
        return s;
    }

    // Two strides from one counter.
    static int twoStrides(int n, int seed) {
        int[] a = ints(n * 7, seed);
        byte[] b = new byte[n * 3];
        int s = 0;
        for (int i = n; --i >= 0;) {
            b[i * 3 + 1] = (byte) a[i * 7 + 5];
            overwrite(n * 7);
            s = s * 31 + b[i * 3 + 1] + a[i * 7 + 6];
            junk = new byte[n * 3];
        }
        return s;
    }

    // The outer array drops its row while the inner loop runs.
    static int rows(int n, int seed) {
        int[][] rows = new int[3][];
        for (int k = 0; k < 3; k++) rows[k] = ints(n, seed + k);
        int s = 0;
        for (int k = 0; k < 3; k++) {
            int[] row = rows[k];
            rows[k] = null;
            for (int i = n - 1; i >= 0; i -= 2) {
                s = s * 31 + row[i];
                overwrite(n);
            }
        }
        return s;
    }

    static void check(String what, int n, int want, int got) {
        checks++;
        if (want != got && wrong++ < 20) System.out.println(what + " " + n + ": " + got + " instead of " + want);
    }

    static void all(int n, int seed) {
        int up = 0, half = 0, both = 0, lock = 0, caught = 0, down = 0, two = 0, row = 0;
        long wide = 0;
        for (int i = 0; i < n; i++) {
            int x = at(seed, i);
            up = up * 31 + x;
            half = half * 31 + (i <= n / 2 ? x : at(seed + 1, i));
            lock = (lock + n * x) * 31 + x;
            caught = (i & 1) == 0 ? caught * 31 + x : caught + i * x;
        }
        for (int i = n - 1; i >= 0; i--) {
            int x = at(seed, i);
            wide = wide * 31 + x * 3L;
            both = both * 31 + x + at(seed, n - 1 - i);
            down = down * 31 + x * 2 + 1;
            two = two * 31 + (byte) at(seed, i * 7 + 5) + at(seed, i * 7 + 6);
        }
        for (int k = 0; k < 3; k++)
            for (int i = n - 1; i >= 0; i -= 2) row = row * 31 + at(seed + k, i);
        check("taken", n, up, taken(n, seed));
        check("takenBackwards", n, (int) (wide ^ wide >>> 32), takenBackwards(n, seed));
        check("replaced", n, half, replaced(n, seed));
        check("fixed", n, both, fixed(n, seed));
        if (n > 2) {
            int s = 0;
            for (int i = 0; i < n - 1; i++) s = s * 31 + at(seed, i);
            check("behind", n, s * 31 + at(seed, n - 2), behind(n, seed));
        }
        check("inLock", n, lock, inLock(n, seed));
        check("inHandler", n, caught, inHandler(n, seed));
        check("throughCall", n, down, throughCall(n, seed, x -> {
            overwrite(n);
            return x + 1;
        }));
        check("twoStrides", n, two, twoStrides(n, seed));
        check("rows", n, row, rows(n, seed));
    }

    public static void main(String[] args) {
        for (int round = 0; round < 2; round++)
            for (int n = 1; n < 40; n = n * 2 + n % 3) all(n, round * 77 + n);
        System.out.println(checks + " checks, " + wrong + " wrong");
    }
}
