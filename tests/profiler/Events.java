/** Field accesses, branches and calls of every kind, with counts that are the same in each run. */
public class Events {
    boolean z; byte b; char c; short s; int i; long l; float f; double d; Object o;
    volatile int vi; volatile long vl;
    static boolean sz; static byte sb; static char sc; static short ss; static int si; static long sl;
    static float sf; static double sd; static Object so; static volatile double svd;
    final int fixed;
    Events next;

    Events(int i) { fixed = i; }

    static class Lazy {
        static int count = Integer.getInteger("events.lazy", 3);
        static int take() { return count++; }
    }

    interface Shape { int area(); }
    static class Square implements Shape {
        int side;
        public int area() { return side * side; }
    }
    static class Oblong extends Square {
        int other;
        @Override public int area() { return side * other; }
    }

    void fields(int n) {
        z = (n & 1) == 0; b = (byte) n; c = (char) n; s = (short) n; i += n; l += i; f = n; d += f; o = this;
        vi++; vl = vi;
        sz = z; sb = b; sc = c; ss = s; si += fixed; sl += l; sf = f; sd = d; so = o; svd = sd;
    }

    static int branches(int n, long l, double d, Object a, Object b) {
        int r = 0;
        if (n == 0) r++;
        if (n != 1) r++;
        if (n < 2) r++;
        if (n >= 3) r++;
        if (n > 4) r++;
        if (n <= 5) r++;
        if (a == b) r++;
        if (a != b) r++;
        if (a == null) r++;
        if (b != null) r++;
        if (l < n) r++;
        if (d >= n) r++;
        if (!(d > n)) r++;
        switch (n & 7) {
            case 0: r += 1; break;
            case 1: r += 2;
            case 4: r += 3; break;
            case 6: r += 4; break;
            default: r += 5;
        }
        switch (n) {
            case -100: r += 1; break;
            case 7: case 8: r += 2; break;
            case 1000: r += 3; break;
            default: break;
        }
        int k = n & 15;
        do { r += k; } while (--k > 0);
        outer:
        for (int x = 0; x < 3; x++)
            for (int y = 0; y < 3; y++) {
                if (y > x) continue outer;
                if (x * y == 4) break outer;
                r++;
            }
        return r;
    }

    static int nulls(Events e, int n) {
        try {
            return e.i + n;
        } catch (NullPointerException x) {
            try {
                e.i = n;
            } catch (NullPointerException y) {
                return -1;
            }
        }
        return 0;
    }

    static synchronized int locked(int n) {
        for (int k = 0; k < (n & 3); k++) si++;
        return si;
    }

    static int deep(int n) { return n == 0 ? 0 : 1 + deep(n - 1); }

    static int shapes(Shape[] shapes) {
        int sum = 0;
        for (Shape s : shapes) sum += s.area();
        return sum;
    }

    public static void main(String[] args) {
        int n = args.length > 0 ? Integer.parseInt(args[0]) : 3000;
        Events e = new Events(7);
        Square square = new Square();
        Oblong oblong = new Oblong();
        square.side = oblong.side = 3;
        oblong.other = 4;
        Shape[] shapes = {square, oblong, square};
        long r = 0;
        for (int k = 0; k < n; k++) {
            e.fields(k);
            r += branches(k, k - 1, k + 0.5, e, k % 3 == 0 ? null : k % 3 == 1 ? e : args);
            r += nulls(k % 50 == 0 ? null : e, k);
            r += locked(k) + Lazy.take() + Math.max(k, 5) + shapes(shapes);
            if (k % 100 == 0) r += deep(50);
            e.next = new Events(k);
            r += new Object().equals(e) ? 1 : 0;
        }
        java.util.function.IntUnaryOperator twice = x -> e.i + x;
        for (int k = 0; k < n; k++) r += twice.applyAsInt(k);
        System.out.println(r + " " + sl + " " + sd + " " + si);
    }
}
