// Comparisons with NaN and signed zeros, in every branch direction.
public class Float_compare {
    static String cmp(double a, double b) {
        return (a < b ? "1" : "0") + (a <= b ? "1" : "0") + (a > b ? "1" : "0") + (a >= b ? "1" : "0") + (a == b ? "1" : "0") + (a != b ? "1" : "0")
            + (!(a < b) ? "1" : "0") + (!(a >= b) ? "1" : "0") + Double.compare(a, b);
    }

    static String cmp(float a, float b) {
        return (a < b ? "1" : "0") + (a <= b ? "1" : "0") + (a > b ? "1" : "0") + (a >= b ? "1" : "0") + (a == b ? "1" : "0") + (a != b ? "1" : "0")
            + (!(a < b) ? "1" : "0") + (!(a >= b) ? "1" : "0") + Float.compare(a, b);
    }

    static int loop(double limit) {
        int n = 0;
        for (double d = 0; d < limit; d += 0.25) if (++n > 50) break;
        return n;
    }

    public static void main(String[] args) {
        double[] ds = {0.0, -0.0, 1, -1, Double.NaN, Double.POSITIVE_INFINITY, Double.NEGATIVE_INFINITY, Double.MIN_VALUE, Double.MAX_VALUE};
        for (double a : ds) {
            for (double b : ds) System.out.print(cmp(a, b) + " ");
            System.out.println();
        }
        for (double a : ds) {
            for (double b : ds) System.out.print(cmp((float) a, (float) b) + " ");
            System.out.println();
        }
        System.out.println(loop(2.1) + " " + loop(Double.NaN) + " " + loop(Double.POSITIVE_INFINITY));
        Double n1 = Double.NaN, n2 = Double.NaN, z1 = 0.0, z2 = -0.0;
        System.out.println(n1.equals(n2) + " " + z1.equals(z2) + " " + (n1.doubleValue() == n2) + " " + (z1.doubleValue() == z2.doubleValue()) + " " + z1.compareTo(z2));
        System.out.println(Math.min(0.0, -0.0) + " " + Math.max(-0.0, 0.0) + " " + Math.min(Double.NaN, 1) + " " + Math.max(1f, Float.NaN) + " " + Math.min(-0f, 0f));
        double[] sort = {3, Double.NaN, -0.0, 0.0, -5, Double.NEGATIVE_INFINITY};
        java.util.Arrays.sort(sort);
        System.out.println(java.util.Arrays.toString(sort));
    }
}
