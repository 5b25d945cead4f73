// IEEE arithmetic: remainder, subnormals, infinities, strictness, fma, accumulated rounding.
public class Float_arithmetic {
    static strictfp double strict(double a, double b) { return a * b / b - a; }

    public static void main(String[] args) {
        double[] xs = {0.0, -0.0, 1, -1.5, 5.25, 1e308, -1e-308, 4.9e-324, Double.NaN, Double.POSITIVE_INFINITY};
        for (double a : xs) {
            StringBuilder s = new StringBuilder();
            for (double b : xs) s.append(a % b).append(',').append(a / b).append(',').append(a * b).append(',').append(a - b).append(' ');
            System.out.println(s);
        }
        float[] fs = {0f, -0f, 1, -1.5f, 5.25f, 3e38f, 1.4e-45f, Float.NaN, Float.NEGATIVE_INFINITY};
        for (float a : fs) {
            StringBuilder s = new StringBuilder();
            for (float b : fs) s.append(a % b).append(',').append(a / b).append(',').append(a * b).append(',').append(a + b).append(' ');
            System.out.println(s);
        }
        System.out.println(strict(1e308, 10) + " " + strict(3, 7));
        double sum = 0;
        float fsum = 0;
        for (int i = 1; i <= 3000; i++) { sum += 1.0 / i; fsum += 1f / i; }
        System.out.println(sum + " " + fsum);
        System.out.println(Math.fma(3.0, 4.0, -12.000000000000001) + " " + Math.fma(1e16f, 1e16f, -1f) + " " + Math.IEEEremainder(5, 3) + " " + Math.IEEEremainder(-7.5, 2));
        System.out.println(5.5 % -2 + " " + -5.5 % 2 + " " + 1e20 % 3 + " " + 0.1 % 0.01 + " " + 1e308 % 1e-308 + " " + 10f % 0.3f);
        double x = 1;
        int n = 0;
        while (x > 0) { x /= 2; n++; }
        float y = 1;
        int m = 0;
        while (y > 0) { y /= 2; m++; }
        System.out.println(n + " " + m + " " + -x + " " + (0.0 == -0.0) + " " + 1 / -0.0);
        System.out.println((0.1 + 0.2) + " " + (0.1f + 0.2f) + " " + (1.1f * 1.1f) + " " + (double) (1.1f * 1.1f) + " " + 100 * 1.1);
        System.out.println(-Double.NaN + " " + Double.doubleToRawLongBits(-0.0) + " " + Float.floatToRawIntBits(-0f) + " " + Double.longBitsToDouble(0x7ff8000000000001L));
    }
}
