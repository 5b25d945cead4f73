// Counted loops, in shapes that javac emits and in unusual ones: up and down, with steps, with bounds at both ends of
// int, with variables that wrap around, bounds that change, exits in the middle, and exceptions. Compiled code
// strip-mines them (-Xjit:strip-length=N for short strips).
import java.util.Arrays;

public class Counted_loops {
    static final int MAX = Integer.MAX_VALUE, MIN = Integer.MIN_VALUE;
    static int[] cells = new int[10_000];
    static int field = 3000;
    static int seen;

    static long up(int from, int to) { long s = 0; for (int i = from; i < to; i++) s = s * 3 + i; return s; }
    static long upEqual(int from, int to) { long s = 0; for (int i = from; i <= to; i++) s = s * 3 + i; return s; }
    static long down(int from, int to) { long s = 0; for (int i = from; i > to; i--) s = s * 3 + i; return s; }
    static long downEqual(int from, int to) { long s = 0; for (int i = from; i >= to; i--) s = s * 3 + i; return s; }
    static long mirrored(int from, int to) { long s = 0; for (int i = from; to > i; i++) s = s * 3 + i; return s; }
    static long unequal(int from, int to) { long s = 0; for (int i = from; i != to; i++) s = s * 3 + i; return s; }
    static long steps(int from, int to) { long s = 0; for (int i = from; i < to; i += 7) s = s * 3 + i; return s; }
    static long stepsDown(int from, int to) { long s = 0; for (int i = from; i >= to; i -= 5) s = s * 3 + i; return s; }
    static long bigSteps(int from, int to) { long s = 0; for (int i = from; i < to; i += 30000) s = s * 3 + i; return s; }
    static long before(int n) { long s = 0; while (--n >= 0) s = s * 3 + n; return s; }
    static long behind(int n) { long s = 0; while (n-- > 0) s = s * 3 + n; return s; }
    static long upBefore(int i, int n) { long s = 0; while (++i < n) s = s * 3 + i; return s; }
    static long atEnd(int i, int n) { long s = 0; do { s = s * 3 + i; i++; } while (i < n); return s; }
    static long atEndDown(int i) { long s = 0; do { s = s * 3 + i; } while (--i > 0); return s; }
    static long unevenly(int n) {
        long s = 0;
        for (int i = 0; i < n; i++) {
            s = s * 3 + i;
            if ((s & 5) == 0) i += 2;
        }
        return s;
    }
    static long backAndForth(int n) {
        long s = 0;
        for (int i = 0; i < n; i++) {
            s = s * 3 + i;
            if ((i & 7) == 5 && (s & 1) == 0) i -= 3;
        }
        return s;
    }
    static long towards(int i, int j) { long s = 0; while (i < j) { s = s * 3 + i - j; i++; j--; } return s; }
    static long growing(int n) {
        long s = 0;
        for (int i = 0; i < n; i++) {
            s = s * 3 + i;
            if (i % 10 == 0 && n < 9000) n++;
        }
        return s * n;
    }
    static long shrinkingField() {
        long s = 0;
        field = 3000;
        for (int i = 0; i < field; i++) {
            s = s * 3 + i;
            if (i % 3 == 0) field--;
        }
        return s + field;
    }
    static long twice(int n) { long s = 0; for (int i = 0; i < n; i++) for (int j = i; j < n; j++) s = s * 3 + j; return s; }
    static long continues(int n) {
        long s = 0;
        int i = 0;
        while (i < n) {
            i++;
            if (i % 3 == 0) continue;
            if (i % 7 == 0) { s++; continue; }
            s = s * 3 + i;
        }
        return s;
    }
    static long leaves(int n, int at) {
        long s = 0;
        for (int i = 0; i < n; i++) {
            if (i == at) return -s;
            if (s == 12345) break;
            s += i ^ at;
        }
        return s;
    }
    static long sum(int[] a, int from, int to) { long s = 0; for (int i = from; i < to; i++) s += a[i]; return s; }
    static long sumDown(int[] a, int from) { long s = 0; for (int i = from; i >= 0; i--) s = s * 5 + a[i]; return s; }
    static void add(int[] a, int[] b, int[] c, int n) { for (int i = 0; i < n; i++) a[i] = b[i] + c[i]; }
    static void shift(int[] a, int by, int n) { for (int i = 0; i < n; i++) a[i + by] = a[i] + 1; }
    static void ends(int[] a, int n) { for (int i = 0; i < n; i++) { seen = i; a[i] += 3; } }
    static long every(int[] a) { long s = 0; for (int x : a) s = s * 7 + x; return s; }
    static long chars(String t) { long s = 0; for (int i = 0; i < t.length(); i++) s = s * 31 + t.charAt(i); return s; }
    static long catches(int[] a, int n) {
        long s = 0;
        for (int i = 0; i < n; i++) {
            try {
                s = s * 3 + a[i];
            } catch (ArrayIndexOutOfBoundsException e) {
                s ^= i;
            }
        }
        return s;
    }

    // The loop variable wraps around from the largest int to the smallest.
    static long around(int from) {
        long s = 0;
        for (int i = from; i <= MAX; i++) {
            s = s * 3 + i;
            if (i > 0 && i < 1000 || i < MIN + 50 && i > MIN + 40) break;
        }
        return s;
    }
    static long aroundDown(int from) {
        long s = 0;
        for (int i = from; i >= MIN; i--) {
            s = s * 3 + i;
            if (i < MAX - 20 && i > MAX - 50) break;
        }
        return s;
    }
    static long aroundInSteps(int from, int to) {
        long s = 0;
        for (int i = from, n = 0; i < to; i += 7) {
            s = s * 3 + i;
            if (++n == 100) break;
        }
        return s;
    }
    static long aroundAtEnd(int i, int to) {
        long s = 0;
        int n = 0;
        do {
            s = s * 3 + i;
            i += 9;
            if (++n == 100) break;
        } while (i < to);
        return s;
    }

    /** The bound is an element of an array; from the second iteration on it is another array. */
    static int exchanged(int[] a, int[] b) {
        int i = 0;
        for (; a[i] > i; i++) a = b;
        return i;
    }

    static int count;
    static void show(String what, long value) {
        count++;
        System.out.println(what + " " + value);
    }
    static void fails(String what, Runnable code) {
        try {
            code.run();
            show(what, Arrays.hashCode(cells));
        } catch (RuntimeException e) {
            show(what + " " + e.getMessage(), Arrays.hashCode(cells) + seen);
        }
    }
    static void fill() { for (int i = 0; i < cells.length; i++) cells[i] = i * 0x9e3779b1; }

    public static void main(String[] args) {
        for (int n : new int[] {-1, 0, 1, 2, 7, 100, 4095, 4096, 4097, 5000, 8192, 9000}) {
            show("up", up(0, n) + up(n - 5, n) + up(-n, n));
            show("upEqual", upEqual(0, n) + upEqual(n, n));
            show("down", down(n, 0) + down(n, -n));
            show("downEqual", downEqual(n, 0) + downEqual(n, n));
            show("mirrored", mirrored(3, n));
            show("unequal", unequal(n - 9, n) + unequal(-n, Math.abs(n)));
            show("steps", steps(0, n) + steps(-n, n) + stepsDown(n, 0) + stepsDown(n, -n));
            show("bigSteps", bigSteps(0, n * 10_000));
            show("while", before(n) + behind(n) + upBefore(-1, n) + upBefore(-n, n));
            show("do", atEnd(0, n) + atEnd(n - 1, n) + atEndDown(n));
            show("unevenly", unevenly(n) + towards(0, n) + continues(n));
            show("backAndForth", backAndForth(n));
            show("growing", growing(n) + shrinkingField());
            show("leaves", leaves(n, n / 2) + leaves(n, n - 1) + leaves(n, -1));
            show("sum", sum(cells, 0, n) + sumDown(cells, n) + every(new int[Math.abs(n)]));
            show("catches", catches(new int[Math.abs(n) / 2], n));
        }
        show("twice", twice(300));
        show("chars", chars("counted ".repeat(1000)) + chars("\u0107ounted".repeat(900)));
        for (int k = 0; k < 6; k++) {
            show("largest", up(MAX - k, MAX) + upEqual(MAX - k, MAX - 1) + mirrored(MAX - 10 * k, MAX));
            show("smallest", down(MIN + k, MIN) + downEqual(MIN + k, MIN + 1) + stepsDown(MIN + 5 * k + 9, MIN + 5));
            show("nothing", up(MAX, MIN) + upEqual(MAX, MIN) + down(MIN, MAX) + downEqual(MIN, MAX));
            show("around", around(MAX - k) + around(MAX - 5000 * k) + aroundDown(MIN + k) + aroundDown(MIN + 5000 * k));
            show("aroundInSteps", aroundInSteps(MAX - k, MAX) + aroundInSteps(MAX - 100 * k, MAX - 3) + aroundInSteps(MAX - 9, MAX - k));
            show("aroundAtEnd", aroundAtEnd(MAX - k, MAX) + aroundAtEnd(MAX - 100 * k, MAX - 3) + aroundAtEnd(MAX - 9, MAX - k));
        }
        fill();
        int[] large = new int[5000];
        Arrays.fill(large, 0, 4998, MAX);
        for (int[] a : new int[][] {null, {}, new int[5], new int[4096], new int[4097], cells}) {
            fails("out", () -> add(cells, cells, a, 9_999));
            fails("out", () -> add(a, cells, cells, 4097));
            fails("shift", () -> shift(a, 1, 5000));
            fails("shift", () -> shift(a, -1, 5000));
            fails("shift", () -> shift(a, 3, MAX));
            fails("ends", () -> ends(a, 20_000));
            fails("sum", () -> show("sum", sum(a, -1, 3)));
            fails("sum", () -> show("sum", sum(a, 0, MAX)));
            fails("sumDown", () -> show("sumDown", sumDown(a, 4096)));
            fails("every", () -> show("every", every(a)));
            fails("exchanged", () -> show("exchanged", exchanged(large, a) + exchanged(large, large)));
        }
        System.out.println(count + " results");
    }
}
