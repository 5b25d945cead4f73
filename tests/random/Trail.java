/**
 * Run-time support for random programs (programs.py): a checksum of everything they compute, the
 * exceptions they caught, and the driver. java Trail P1 P2... runs each program's run() in turn, after a
 * line "== P1".
 */
public final class Trail {
    static long sum;
    static int caught;
    static String program = "";

    static void mix(long v) { sum = sum * 31 + v; }
    static void mix(int v) { mix((long) v); }
    static void mix(boolean v) { mix(v ? 1231L : 1237L); }
    static void mix(char v) { mix((long) v + 7); }
    static void mix(float v) { mix((long) Float.floatToIntBits(v) ^ 0x5bd1e995L); }
    static void mix(double v) { mix(Double.doubleToLongBits(v)); }
    static void mix(Object v) {
        if (v != null && v.getClass().isArray())
            v = v.getClass(); /* an array's toString would print its identity */
        mix(v == null ? 17L : (long) String.valueOf(v).hashCode());
    }
    static void mix(int[] v) {
        mix(v == null ? -1 : v.length);
        for (int i = 0; v != null && i < v.length; i++)
            mix(v[i]);
    }
    static void mix(Object[] v) {
        mix(v == null ? -1 : v.length);
        for (int i = 0; v != null && i < v.length; i++)
            mix(v[i]);
    }

    /** Prints the exception and the program's lines in its trace. */
    static void caught(Throwable t) {
        mix(t.getClass().getName());
        mix(t.getMessage());
        if (caught++ < 100) {
            for (StackTraceElement e : t.getStackTrace()) {
                if (e.getClassName().startsWith(program)) {
                    mix(e.getMethodName());
                    mix(e.getLineNumber());
                }
            }
        }
        if (caught <= 12)
            System.out.println(t + " " + Long.toHexString(sum));
        if (t.getCause() != null && caught <= 12)
            System.out.println("  " + t.getCause());
    }

    static void mark(String what) { System.out.println(what + " " + Long.toHexString(sum)); }

    /** Keeps strings short, however often they are doubled. */
    static String cut(String s) { return s == null || s.length() <= 24 ? s : s.substring(s.length() - 24); }

    /** Arguments: extreme values first, then arbitrary ones. */
    private static final int[] INTS = {0, 1, -1, Integer.MIN_VALUE, Integer.MAX_VALUE, 2, 31, 32, -128, 127, 255, 65535,
        -32768, 7, 100, 0x55555555};
    private static final long[] LONGS = {0, 1, -1, Long.MIN_VALUE, Long.MAX_VALUE, 63, 64, 0xffffffffL, 0x80000000L,
        -0x80000000L, 0x7fffffffL, 10, 0x123456789abcdefL};
    private static final double[] DOUBLES = {0.0, -0.0, 1, -1, Double.NaN, Double.POSITIVE_INFINITY,
        Double.NEGATIVE_INFINITY, Double.MIN_VALUE, Double.MAX_VALUE, 0.1, 2147483648.5, -9.3e18, 1e-300, 3.999999};
    static int anInt(int i) { return i < 64 && i % 4 != 3 ? INTS[i & 15] : i * 0x9e3779b1; }
    static long aLong(int i) { return i % 3 != 2 ? LONGS[i % LONGS.length] : i * 0x9e3779b97f4a7c15L; }
    static double aDouble(int i) { return i % 3 != 2 ? DOUBLES[i % DOUBLES.length] : i / 3.0 - 4; }
    static float aFloat(int i) { return (float) aDouble(i + 5); }
    static String aString(int i) {
        return switch (i % 6) {
            case 0 -> "";
            case 1 -> null;
            case 2 -> "a" + i;
            case 3 -> "zero";
            case 4 -> "\u00e9\u20ac" + i % 3;
            default -> "one";
        };
    }

    public static void main(String[] names) throws Exception {
        for (String name : names) {
            System.out.println("== " + name);
            program = name;
            sum = caught = 0;
            try {
                Class.forName(name).getMethod("run").invoke(null);
            } catch (java.lang.reflect.InvocationTargetException e) {
                caught = 0;
                caught(e.getCause());
            }
            mark("end");
        }
    }
}
