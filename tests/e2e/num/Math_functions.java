// java.lang.Math and StrictMath results, checked to the last bit through StrictMath and to 12 digits through Math.
public class Math_functions {
    static String p(double d) { return Double.isNaN(d) || Double.isInfinite(d) || d == 0 ? "" + d : String.format("%.11e", d); }

    public static void main(String[] args) {
        double[] xs = {0.0, -0.0, 0.5, -0.5, 1, -1, 2, 3.7, -3.7, 10, 1e-10, 1e10, 700, -700, 710, Math.PI, Math.PI / 2, Double.NaN, Double.POSITIVE_INFINITY, Double.NEGATIVE_INFINITY, 4.9e-324, Double.MAX_VALUE};
        for (double x : xs) {
            System.out.println(x + ": " + p(Math.sin(x)) + " " + p(Math.cos(x)) + " " + p(Math.tan(x)) + " " + p(Math.exp(x)) + " " + p(Math.log(x)) + " " + p(Math.log10(x)) + " " + Math.sqrt(x) + " " + p(Math.cbrt(x)));
            System.out.println("  " + StrictMath.sin(x) + " " + StrictMath.exp(x) + " " + StrictMath.log(x) + " " + StrictMath.atan(x) + " " + StrictMath.asin(x) + " " + StrictMath.sinh(x) + " " + StrictMath.tanh(x) + " " + StrictMath.expm1(x) + " " + StrictMath.log1p(x));
            System.out.println("  " + Math.floor(x) + " " + Math.ceil(x) + " " + Math.rint(x) + " " + Math.round(x) + " " + Math.abs(x) + " " + Math.signum(x) + " " + Math.ulp(x) + " " + Math.nextUp(x) + " " + Math.nextDown(x) + " " + Math.getExponent(x) + " " + Math.toRadians(x) + " " + Math.toDegrees(x));
        }
        double[] ys = {0, -0.0, 1, -1, 2, 0.5, -0.5, 3, Double.NaN, Double.POSITIVE_INFINITY, Double.NEGATIVE_INFINITY};
        for (double a : ys) {
            StringBuilder s = new StringBuilder();
            for (double b : ys) s.append(p(Math.pow(a, b))).append(' ').append(p(Math.atan2(a, b))).append(' ').append(Math.hypot(a, b) > 2).append(' ').append(Math.copySign(a, b)).append(", ");
            System.out.println(s);
        }
        System.out.println(Math.scalb(1.5, 10) + " " + Math.scalb(1.5f, -140) + " " + Math.nextAfter(1.0, 2) + " " + Math.nextAfter(1f, 0));
    }
}
