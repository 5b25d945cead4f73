// Branches of every kind, dense and sparse switches with shared cases, loops of all shapes, hot enough to compile.
public class Branches_kinds {
    static int dense(int n) {
        switch (n) { case 0: case 3: return 1; case 1: return 2; case 2: break; case 5: n++; case 6: n += 2; break; default: return -1; }
        return n;
    }
    static int sparse(int n) {
        switch (n) { case -1000000: return 1; case 7: case 70: return 2; case 700: return 3; case Integer.MAX_VALUE: return 4; default: return 0; }
    }
    static int word(String s) { switch (s) { case "Aa": return 1; case "BB": return 2; case "other": return 3; default: return 4; } }
    static int compare(int a, int b, long c, double d, Object o) {
        int r = 0;
        if (a == b) r++; if (a != b) r++; if (a < b) r++; if (a >= b) r++; if (a > b) r++; if (a <= b) r++;
        if (a == 0) r++; if (a != 0) r++; if (a < 0) r++; if (a >= 0) r++; if (a > 0) r++; if (a <= 0) r++;
        if (o == null) r++; if (o != null) r++; if (o == "x") r++; if (o != "x") r++;
        if (c > a) r++; if (d < b) r++; if (d >= c) r++; if (d != d) r++;
        return r;
    }
    static int loops(int n) {
        int r = 0;
        for (int i = 0; i < n; i++) for (int k = n; k > i; k -= 2) r += k;
        int i = 0;
        do { if (i % 3 == 0) continue; r++; } while (++i < n);
        while (true) { if (--i < 0) break; r ^= i; }
        outer: for (;;) { for (int k = 0; ; k++) { if (k + i > 10) break outer; if (k > 5) { i++; continue outer; } } }
        return r;
    }
    static int caught(int[] a, int n) {
        int r = 0;
        for (int i = 0; i < n; i++) try { r += i % 7 == 0 ? a[i] : i; } catch (ArrayIndexOutOfBoundsException e) { r--; } finally { if (r > 100) r = 0; }
        return r;
    }
    static boolean lazy(int n, boolean a, boolean b) { return n > 3 && (a || b) ? !a : n < 1 ^ b; }

    public static void main(String[] args) {
        long sum = 0;
        String[] words = {"Aa", "BB", "C#", "other", ""};
        int[] keys = {-1000000, 7, 70, 700, Integer.MAX_VALUE, 0, 8};
        Object[] objects = {null, "x", new int[1]};
        for (int n = 0; n < 4000; n++) {
            sum += dense(n % 9 - 1) + sparse(keys[n % 7]) + word(words[n % 5]);
            sum += compare(n % 5 - 2, n % 3 - 1, n % 4, n % 6 == 0 ? Double.NaN : n % 7, objects[n % 3]);
            sum += lazy(n % 6, n % 2 == 0, n % 3 == 0) ? 1 : 0;
        }
        for (int n = 0; n < 120; n++) sum += loops(n) + caught(new int[n / 2], n);
        System.out.println(sum);
    }
}
