// Every narrowing and widening among int, long, float and double at the edges.
public class Float_conversions {
    public static void main(String[] args) {
        double[] ds = {0, -0.0, 0.5, -0.5, 0.999999, 1.5, 2.5, -2.5, 127.9, 128, 255.5, 32768.1, 65535.9, 2147483647.0, 2147483647.5, 2147483648.0, -2147483648.9, -2147483649.0,
            4294967296.5, 9.223372036854775E18, 9.223372036854776E18, -9.3e18, 1e300, -1e300, Double.NaN, Double.POSITIVE_INFINITY, Double.NEGATIVE_INFINITY, Double.MIN_VALUE};
        for (double d : ds) {
            float f = (float) d;
            System.out.println(d + " -> " + (int) d + " " + (long) d + " " + (byte) d + " " + (short) d + " " + (int) (char) d + " " + f + " " + (int) f + " " + (long) f + " " + Math.round(d) + " " + Math.round(f));
        }
        long[] ls = {0, 1, -1, 16777216, 16777217, 16777219, -16777217, 1L << 53, (1L << 53) + 1, (1L << 53) + 3, Long.MAX_VALUE, Long.MIN_VALUE, 0x7fffffbfffffffffL, 0x7fffff4000000001L};
        for (long l : ls) System.out.println(l + " -> " + (float) l + " " + (double) l + " " + (float) (int) l + " " + (long) (float) l + " " + (long) (double) l);
        int bits = 0;
        for (int i = -200; i < 200; i++) bits = bits * 31 + Float.floatToIntBits((float) (i * 1.1e37)) + (int) (i * 1e8) + (int) (long) (i * 1e18);
        System.out.println(bits);
        int i = 5;
        i += 1e10;
        System.out.println(i);
        long l = 1;
        l *= 1.5e300;
        System.out.println(l);
        char c = 'a';
        c += 1.9;
        System.out.println(c);
        float f = 16777216;
        f++;
        System.out.println(f);
        double dd = 0.1f;
        System.out.println(dd + " " + (float) 0.1 + " " + (0.1f == 0.1) + " " + (float) 1e-50 + " " + (float) 3.4028235677973366e38 + " " + (float) 3.4028235e38);
    }
}
