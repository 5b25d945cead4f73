// Values of all types, each a hundred times.
public class TypedValues {
    static double half;
    static float tenth;
    static boolean flag;
    static Object nothing;
    static byte small = -3;
    static long[] longs = {1L << 40};

    static double take(double d, float f, boolean b, long l, String s, int[] a) { return d + f; }

    public static void main(String[] args) {
        double sum = 0;
        for (int i = 0; i < 100; i++) {
            half = 0.5;
            tenth = 0.1f;
            flag = true;
            sum += half;
            sum += take(Double.NaN, tenth, flag, longs[0], null, null);
            sum += nothing == null ? small : 1 / 0.0;
        }
        System.out.println(sum);
    }
}
