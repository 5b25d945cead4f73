// timeout: 400
// Loops over arrays to which only the loop refers, in shapes for which compilers keep derived addresses: below the
// base, past the end, with strides. Arrays of the same size are allocated meanwhile and overwrite one collected too
// early. With -Xjit:poll-stress every loop collects.
import java.util.function.IntBinaryOperator;

public class Derived_pointers {
    static Object junk;
    static int checks, wrong;

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

    static int forwards(int n, int seed) {
        int[] a = ints(n, seed);
        int s = 0;
        for (int i = 0; i < n; i++) {
            s = s * 31 + a[i];
            if ((i & 3) == 1) overwrite(n);
        }
        return s;
    }

    static int backwards(int n, int seed) {
        int[] a = ints(n, seed);
        int s = 0;
        for (int i = n - 1; i >= 0; i--) {
            s = s * 31 + a[i];
            if ((i & 3) == 1) overwrite(n);
        }
        return s;
    }

    // The moving address starts far below the array, or far above it.
    static int shifted(int n, int seed) {
        int[] a = ints(n, seed);
        int s = 0;
        for (int i = 100000; i < 100000 + n; i++) {
            s = s * 31 + a[i - 100000];
            if ((i & 3) == 1) overwrite(n);
        }
        return s;
    }

    static int negative(int n, int seed) {
        int[] a = ints(n, seed);
        int s = 0;
        for (int i = -n - 70000; i < -70000; i++) {
            s = s * 31 + a[i + n + 70000];
            if ((i & 3) == 1) overwrite(n);
        }
        return s;
    }

    static int strided(int n, int seed) {
        int[] a = ints(n * 3, seed);
        int s = 0;
        for (int i = 0; i < n; i++) {
            s = s * 31 + a[i * 3 + 2];
            if ((i & 3) == 1) overwrite(n * 3);
        }
        return s;
    }

    static int stridedBackwards(int n, int seed) {
        int[] a = ints(n * 5, seed);
        int s = 0;
        for (int i = n * 5 - 1; i >= 0; i -= 5) {
            s = s * 31 + a[i];
            if ((i & 3) == 1) overwrite(n * 5);
        }
        return s;
    }

    static int mirrored(int n, int seed) {
        int[] a = ints(n, seed), b = new int[n];
        for (int i = 0; i < n; i++) {
            b[n - 1 - i] = a[i];
            if ((i & 7) == 1) overwrite(n);
        }
        int s = 0;
        for (int i = 0; i < n; i++) s = s * 31 + b[i];
        return s;
    }

    // Byte elements: the last access is at the very end.
    static int bytes(int n, int seed) {
        byte[] a = new byte[n];
        for (int i = n; --i >= 0;) a[i] = (byte) at(seed, i);
        int s = 0;
        for (int i = 0; i < n; i++) {
            s = s * 31 + a[i];
            junk = new byte[n];
        }
        return s;
    }

    static int longs(int n, int seed) {
        long[] a = new long[n];
        for (int i = 0; i < n; i++) a[i] = at(seed, i) * 3L;
        long s = 0;
        for (int i = n - 1; i >= 0; i--) {
            s = s * 31 + a[i];
            junk = new long[n];
        }
        return (int) (s ^ s >>> 32);
    }

    // References: the rows are reachable only from the array.
    static int boxes(int n, int seed) {
        int[][] a = new int[n][];
        for (int i = n - 1; i >= 0; i--) a[i] = new int[] {at(seed, i), i};
        int s = 0;
        for (int i = n - 1; i >= 0; i--) {
            int[] b = a[i];
            a[i] = null;
            overwrite(2);
            s = s * 31 + b[0] + b[b.length - 1];
        }
        return s;
    }

    static int rows(int n, int seed) {
        int[][] a = new int[n][3];
        for (int i = 0; i < n; i++)
            for (int j = 0; j < 3; j++) a[i][j] = at(seed, i * 3 + j);
        int s = 0;
        for (int j = 2; j >= 0; j--)
            for (int i = n - 1; i >= 0; i--) {
                s = s * 31 + a[i][j];
                overwrite(3);
            }
        return s;
    }

    static int[] next;
    static int chase(int n, int seed) {
        next = ints(n, seed);
        int s = 0;
        for (int k = 0; k < 8; k++) {
            int[] a = next;
            next = ints(n, seed + k);
            for (int i = a.length - 1; i >= 0; i -= 2) s = s * 31 + a[i];
        }
        next = null;
        return s;
    }

    static int expect(int n, int step, int first, int seed, IntBinaryOperator value) {
        int s = 0;
        for (int k = 0, i = first; k < n; k++, i += step) s = s * 31 + value.applyAsInt(seed, i);
        return s;
    }

    static void check(String what, int n, int want, int got) {
        checks++;
        if (want != got && wrong++ < 20) System.out.println(what + " " + n + ": " + got + " instead of " + want);
    }

    static void all(int n, int seed) {
        check("forwards", n, expect(n, 1, 0, seed, Derived_pointers::at), forwards(n, seed));
        check("shifted", n, expect(n, 1, 0, seed, Derived_pointers::at), shifted(n, seed));
        check("negative", n, expect(n, 1, 0, seed, Derived_pointers::at), negative(n, seed));
        check("backwards", n, expect(n, -1, n - 1, seed, Derived_pointers::at), backwards(n, seed));
        check("mirrored", n, expect(n, -1, n - 1, seed, Derived_pointers::at), mirrored(n, seed));
        check("strided", n, expect(n, 3, 2, seed, Derived_pointers::at), strided(n, seed));
        check("stridedBackwards", n, expect(n, -5, n * 5 - 1, seed, Derived_pointers::at), stridedBackwards(n, seed));
        check("bytes", n, expect(n, 1, 0, seed, (x, i) -> (byte) at(x, i)), bytes(n, seed));
        check("boxes", n, expect(n, -1, n - 1, seed, (x, i) -> at(x, i) + i), boxes(n, seed));
        long s = 0;
        for (int i = n - 1; i >= 0; i--) s = s * 31 + at(seed, i) * 3L;
        check("longs", n, (int) (s ^ s >>> 32), longs(n, seed));
        int r = 0, c = 0;
        for (int j = 2; j >= 0; j--)
            for (int i = n - 1; i >= 0; i--) r = r * 31 + at(seed, i * 3 + j);
        check("rows", n, r, rows(n, seed));
        for (int k = 0; k < 8; k++)
            for (int i = n - 1; i >= 0; i -= 2) c = c * 31 + at(seed + Math.max(0, k - 1), i);
        check("chase", n, c, chase(n, seed));
    }

    public static void main(String[] args) {
        for (int round = 0; round < 2; round++)
            for (int n = 1; n < 40; n = n * 2 + n % 3) all(n, round * 77 + n);
        System.out.println(checks + " checks, " + wrong + " wrong");
    }
}
