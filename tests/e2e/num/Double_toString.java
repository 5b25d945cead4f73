// Shortest-ish decimal output and correctly rounded input of double and float.
public class Double_toString {
    public static void main(String[] args) {
        double[] ds = {0, -0.0, 1, 10, 123456789, 1e7, 9999999, 1e-3, 9.99e-4, 0.001, 1.0E21, 1e22, 1e23, 2.2250738585072014E-308, 2.225073858507201E-308, 4.9E-324, 1.7976931348623157E308, 0.1, 0.3, 1.0 / 3, 2.0 / 3, 100.0 / 3,
            1234567.125, 123456789012345680.0, Math.PI, Math.E, 5e-5, 1.5e300, 9007199254740993.0, 0.1 + 0.7, Double.NaN, -1 / 0.0};
        for (double d : ds) System.out.print(d + " " + (float) d + " " + Double.toHexString(d) + " ");
        System.out.println();
        String[] in = {"1", "1.", ".5", "-.5e3", "1e5", "1E-5", "+1.0d", "2f", "0x1.8p3", "0x.8p-1074", "Infinity", "-Infinity", "NaN", " 3.5 ", "1e400", "-1e-400", "2.2250738585072012e-308", "179769313486231580793e289", "9007199254740993", "0.30000000000000004",
            "1.00000000000000011102230246251565404236316680908203125", "1.00000000000000011102230246251565404236316680908203124", "", "e5", "1e", "1.2.3", "0x1", "--1", "1,5", "abc"};
        for (String s : in) {
            try {
                double d = Double.parseDouble(s);
                System.out.println(s + " = " + d + " " + Long.toHexString(Double.doubleToLongBits(d)) + " " + Float.parseFloat(s));
            } catch (NumberFormatException e) {
                System.out.println(s + ": " + e.getMessage());
            }
        }
        try {
            Double.parseDouble(null);
        } catch (NullPointerException e) {
            System.out.println("NPE");
        }
        long seed = 42;
        long h = 0;
        for (int i = 0; i < 150; i++) {
            seed = seed * 6364136223846793005L + 1442695040888963407L;
            double d = Double.longBitsToDouble(seed);
            float f = Float.intBitsToFloat((int) (seed >>> 32));
            if (Double.isNaN(d) || Float.isNaN(f)) continue;
            String s = Double.toString(d);
            h = h * 31 + s.hashCode();
            if (Double.parseDouble(s) != d || Float.parseFloat(Float.toString(f)) != f) System.out.println("round trip " + s);
            h = h * 31 + Float.toString(f).hashCode();
        }
        System.out.println(h);
        System.out.println(Float.MIN_VALUE + " " + Float.MAX_VALUE + " " + Float.MIN_NORMAL + " " + 1.17549435E-38f + " " + 3.3f + " " + 16777216f + " " + 1e10f + " " + 0.001f + " " + 1.0E-4f);
    }
}
