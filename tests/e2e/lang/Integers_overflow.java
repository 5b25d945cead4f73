// Integer arithmetic: overflow, shifts by out-of-range distances, narrowing, compound assignment.
public class Integers_overflow {
    static int i(int x) { return x; }
    static long l(long x) { return x; }

    public static void main(String[] args) {
        int max = i(Integer.MAX_VALUE), min = i(Integer.MIN_VALUE);
        System.out.println((max + 1) + " " + (min - 1) + " " + (min * -1) + " " + -min + " " + Math.abs(min));
        System.out.println((max * max) + " " + (max * 2L) + " " + (min / -1) + " " + (min % -1));
        long lmax = l(Long.MAX_VALUE), lmin = l(Long.MIN_VALUE);
        System.out.println((lmax + 1) + " " + (lmin - 1) + " " + -lmin + " " + (lmax * lmax) + " " + (lmin / -1) + " " + (lmin % -1));
        int[] distances = {0, 1, 31, 32, 33, 63, 64, -1, -31};
        for (int d : distances) {
            System.out.println(d + ": " + (1 << d) + " " + (min >> d) + " " + (min >>> d) + " " + (1L << d) + " " + (lmin >> d) + " " + (lmin >>> d));
        }
        System.out.println(1 << (int) l(1L << 32 | 3));
        byte b = (byte) i(200);
        short s = (short) i(70000);
        char c = (char) i(-1);
        System.out.println(b + " " + s + " " + (int) c + " " + (b & 0xff) + " " + (byte) c + " " + (short) c + " " + (int) (char) b);
        b += 100; s -= 10000; c += 2;
        System.out.println(b + " " + s + " " + (int) c);
        b >>>= 1; s <<= 3; c >>= 1;
        System.out.println(b + " " + s + " " + (int) c);
        b++; ++s; c--;
        System.out.println(b + " " + s + " " + (int) c);
        int x = 7;
        x += 3.7;
        System.out.println(x);
        x -= 'a';
        System.out.println(x);
        x *= 1.5f;
        System.out.println(x);
        x = x++ + ++x;
        System.out.println(x);
        int[] a = {0, 0, 0};
        int k = 0;
        a[k++] = a[k] = k++ + 5;
        System.out.println(a[0] + " " + a[1] + " " + a[2] + " " + k);
        long mixed = max + 1 + 1L;
        System.out.println(mixed + " " + (max + (1L + 1)));
        System.out.println((5 & 3 | 4 ^ 9) + " " + (~0) + " " + (~5L) + " " + (0x80000000 == min) + " " + 0b1010_1010 + " " + 017 + " " + 0xFFFF_FFFFL);
        System.out.println((-7 / 2) + " " + (-7 % 2) + " " + (7 / -2) + " " + (7 % -2) + " " + (-7 >> 1) + " " + (-7 >>> 28));
        System.out.println((char) ('a' + 1) + "" + ('a' + 1) + (char) 98 + 'a' + 1);
        System.out.println((int) 3.99e9f + " " + (long) 1e30 + " " + (byte) 300.7 + " " + (char) 65.9 + " " + (short) -1e10 + " " + (int) Float.NaN);
        final int big = 1 << 16;
        int local = 0;
        for (int n = 0; n < 300; n++) local += big;
        local += 32767; local += -32768; local += 40000;
        System.out.println(local);
        System.out.println(Long.MAX_VALUE / 3 * 3 + " " + (lmax ^ lmin) + " " + (lmax & 0xffL) + " " + (lmin | 1) + " " + (int) lmax + " " + (int) (lmin >>> 33));
        System.out.println((lmax > lmin) + " " + (l(5) == 5) + " " + (l(5) != 5) + " " + (l(-1) < l(1)) + " " + (l(1L << 32) > l(1)));
    }
}
