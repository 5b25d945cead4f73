// Calls between methods of different tiers: tests/run/template.py optimises those whose names begin with `o`, and not
// those that begin with `t`. All kinds and large numbers of arguments, results of all kinds, exceptions, monitors, deep
// recursion, collections, late class loading, stack traces, native methods.
import java.lang.reflect.Array;
import java.util.zip.CRC32;

public class Crossings {
    static final int ROUNDS = 3000;
    static long checksum;
    static Object[] kept = new Object[64];
    final int base;

    Crossings(int base) { this.base = base; }

    // ---- kinds ----

    static boolean tBoolean(boolean a, int b) { return a ^ (b & 1) == 1; }
    static boolean oBoolean(boolean a, int b) { return a ^ (b & 1) == 1; }
    static byte tByte(byte a, short b) { return (byte) (a * 3 + b); }
    static byte oByte(byte a, short b) { return (byte) (a * 3 + b); }
    static char tChar(char a, byte b) { return (char) (a + b); }
    static char oChar(char a, byte b) { return (char) (a + b); }
    static short tShort(short a, char b) { return (short) (a - b); }
    static short oShort(short a, char b) { return (short) (a - b); }
    static int tInt(int a, int b) { return a * 31 + b; }
    static int oInt(int a, int b) { return a * 31 + b; }
    static long tLong(long a, int b, long c) { return a * 31 + b ^ c; }
    static long oLong(long a, int b, long c) { return a * 31 + b ^ c; }
    static float tFloat(float a, int b) { return a / 3 + b; }
    static float oFloat(float a, int b) { return a / 3 + b; }
    static double tDouble(double a, float b, long c) { return a / 3 + b - c; }
    static double oDouble(double a, float b, long c) { return a / 3 + b - c; }
    static Object tObject(Object a, String b) { return a == null ? b : a; }
    static Object oObject(Object a, String b) { return a == null ? b : a; }
    static void tVoid() { checksum++; }
    static void oVoid() { checksum++; }
    int tVirtual(int a, long b) { return base + a + (int) b; }
    int oVirtual(int a, long b) { return base + a + (int) b; }

    static long tMany(int a, long b, float c, double d, Object e, int f, long g, float h, double i, Object j, int k, long l, float m, double n,
                      Object o, int p, long q, float r, double s, Object t, double u, double v, String w, byte x) {
        return a + b * 2 + (long) (c * 4) + (long) (d * 8) + e.hashCode() + f * 5L + g * 7 + (long) (h * 16) + (long) (i * 32) + j.hashCode()
             + k * 11L + l * 13 + (long) (m * 64) + (long) (n * 128) + o.hashCode() + p * 17L + q * 19 + (long) (r * 256) + (long) (s * 512)
             + t.hashCode() + (long) (u * 3) + (long) (v * 5) + w.length() + x;
    }
    static long oMany(int a, long b, float c, double d, Object e, int f, long g, float h, double i, Object j, int k, long l, float m, double n,
                      Object o, int p, long q, float r, double s, Object t, double u, double v, String w, byte x) {
        return a + b * 2 + (long) (c * 4) + (long) (d * 8) + e.hashCode() + f * 5L + g * 7 + (long) (h * 16) + (long) (i * 32) + j.hashCode()
             + k * 11L + l * 13 + (long) (m * 64) + (long) (n * 128) + o.hashCode() + p * 17L + q * 19 + (long) (r * 256) + (long) (s * 512)
             + t.hashCode() + (long) (u * 3) + (long) (v * 5) + w.length() + x;
    }
    static double tDoubles(double a, double b, double c, double d, double e, double f, double g, double h, double i, float j, double k) {
        return a + b * 2 + c * 3 + d * 4 + e * 5 + f * 6 + g * 7 + h * 8 + i * 9 + j * 10 + k * 11;
    }
    static double oDoubles(double a, double b, double c, double d, double e, double f, double g, double h, double i, float j, double k) {
        return a + b * 2 + c * 3 + d * 4 + e * 5 + f * 6 + g * 7 + h * 8 + i * 9 + j * 10 + k * 11;
    }
    static int tInts(int a, int b, int c, int d, int e, int f, int g) { return a + b * 2 + c * 3 + d * 4 + e * 5 + f * 6 + g * 7; }
    static int oInts(int a, int b, int c, int d, int e, int f, int g) { return a + b * 2 + c * 3 + d * 4 + e * 5 + f * 6 + g * 7; }

    static void add(double value) { checksum = checksum * 31 + Double.doubleToLongBits(value); }
    static void add(long value) { checksum = checksum * 31 + value; }

    static void tKinds(int i, Crossings c) {
        add(oBoolean(i % 3 == 0, i) ? 1 : 2);
        add(oByte((byte) i, (short) (i * 7)));
        add(oChar((char) (i * 77), (byte) -i));
        add(oShort((short) (i * 99), (char) i));
        add(oInt(-i, i * 1000003));
        add(oLong((long) i << 33, -i, ~(long) i));
        add(oFloat(i * 0.37f, -i));
        add(oDouble(i * 0.37, i * 0.11f, (long) -i << 5));
        add(oObject(i % 2 == 0 ? null : "a" + i, "b" + i).hashCode());
        oVoid();
        add(c.oVirtual(i, -3));
        add(oMany(i, -i, i * .5f, i * .25, "e" + i, i + 1, (long) i << 35, .75f, -.5, "j", -7, i, -2f, 3.0, i, 5, -6, i + .5f, 8.5, "t" + i,
                  9.5, i * 10.5, "w", (byte) i));
        add(oDoubles(i, 1, 2, 3, 4, 5, 6, 7, -i, i * .5f, 9));
        add(oInts(i, 1, -2, 3, -4, 5, -i));
    }

    static void oKinds(int i, Crossings c) {
        add(tBoolean(i % 3 == 0, i) ? 1 : 2);
        add(tByte((byte) i, (short) (i * 7)));
        add(tChar((char) (i * 77), (byte) -i));
        add(tShort((short) (i * 99), (char) i));
        add(tInt(-i, i * 1000003));
        add(tLong((long) i << 33, -i, ~(long) i));
        add(tFloat(i * 0.37f, -i));
        add(tDouble(i * 0.37, i * 0.11f, (long) -i << 5));
        add(tObject(i % 2 == 0 ? null : "a" + i, "b" + i).hashCode());
        tVoid();
        add(c.tVirtual(i, -3));
        add(tMany(i, -i, i * .5f, i * .25, "e" + i, i + 1, (long) i << 35, .75f, -.5, "j", -7, i, -2f, 3.0, i, 5, -6, i + .5f, 8.5, "t" + i,
                  9.5, i * 10.5, "w", (byte) i));
        add(tDoubles(i, 1, 2, 3, 4, 5, 6, 7, -i, i * .5f, 9));
        add(tInts(i, 1, -2, 3, -4, 5, -i));
    }

    // ---- exceptions ----

    static class Failure extends RuntimeException {
        final int value;
        Failure(int value) { super("failure " + value); this.value = value; }
    }

    static int tThrow(int i) { if (i % 5 == 0) throw new Failure(i); return i; }
    static int oThrow(int i) { if (i % 5 == 0) throw new Failure(i); return i; }
    static int tThrough(int i) { return oThrow(i) + 1; }
    static int oThrough(int i) { return tThrow(i) + 1; }
    static int tDivide(int a, int b) { return a / b; }
    static int oDivide(int a, int b) { return a / b; }
    static int tCatch(int i) {
        int value = 0;
        try { value += oThrough(i); } catch (Failure f) { value -= f.value; } finally { value += 1000; }
        try { value += oDivide(i, i % 7); } catch (ArithmeticException e) { value += e.getMessage().length(); }
        return value;
    }
    static int oCatch(int i) {
        int value = 0;
        try { value += tThrough(i); } catch (Failure f) { value -= f.value; } finally { value += 1000; }
        try { value += tDivide(i, i % 7); } catch (ArithmeticException e) { value += e.getMessage().length(); }
        return value;
    }

    static String oTrace(int n) { return n == 0 ? tTop() : tTrace(n - 1); }
    static String tTrace(int n) { return n == 0 ? tTop() : oTrace(n - 1); }
    static String tTop() {
        StringBuilder names = new StringBuilder();
        for (StackTraceElement e : new Throwable().getStackTrace()) names.append(e.getMethodName()).append(':').append(e.getLineNumber()).append(' ');
        return names.toString();
    }

    // ---- recursion ----

    static int depth;
    static int oDown(int n) { depth = n; return tDown(n + 1) + 1; }
    static int tDown(int n) { depth = n; return oDown(n + 1) + 1; }
    static long oUp(int n, long a, double b, Object c) { return n == 0 ? a : tUp(n - 1, a + n, b * .5, c) + (c == null ? 1 : 2); }
    static long tUp(int n, long a, double b, Object c) { return n == 0 ? a : oUp(n - 1, a + n, b * .5, b > 1 ? c : null) + (c == null ? 1 : 2); }
    static boolean tOverflow() {
        try { oDown(0); } catch (StackOverflowError e) { return depth > 500; }
        return false;
    }
    static boolean oOverflow() {
        try { tDown(0); } catch (StackOverflowError e) { return depth > 500; }
        return false;
    }

    // ---- monitors ----

    int locked;
    static int staticLocked;
    synchronized int oLocked(int n) { locked++; if (n == 0) throw new Failure(locked); return tLocked(n - 1); }
    synchronized int tLocked(int n) { locked++; if (n == 0) throw new Failure(locked); return oLocked(n - 1); }
    static synchronized int oStatic(int n) { staticLocked++; return n == 0 ? staticLocked : tStatic(n - 1); }
    static synchronized int tStatic(int n) { staticLocked++; return n == 0 ? staticLocked : oStatic(n - 1); }

    // ---- collections ----

    static Object oMake(Object a, int n, Object b, Object c, Object d, Object e, Object f, Object g) {
        if (n == 0) {
            for (int i = 0; i < 20; i++) kept[i & 63] = new int[64];
            return a.toString() + b + c + d + e + f + g;
        }
        Object made = tMake("" + n, n - 1, b, c, d, e, f, "g" + n);
        return a.toString() + made + g;
    }
    static Object tMake(Object a, int n, Object b, Object c, Object d, Object e, Object f, Object g) {
        if (n == 0) {
            System.gc();
            return a.toString() + b + c + d + e + f + g;
        }
        Object made = oMake("" + n, n - 1, b, c, d, e, f, "g" + n);
        return a.toString() + made + g;
    }

    // ---- classes loaded while running code assumes their absence ----

    static class Shape { int area() { return 1; } }
    static class Square extends Shape { int area() { return 4; } }
    static class Round extends Shape { int area() { return 3; } }
    static Shape shape = new Shape();
    static void tReplace(int i) {
        if (i == ROUNDS / 2) shape = new Square();
        if (i == ROUNDS / 2 + ROUNDS / 4) shape = new Round();
    }
    static int oArea(int i) {
        int before = shape.area();
        tReplace(i);
        return before * 10 + shape.area();
    }
    static int tArea(int i) { return oArea(i) + 1; }

    // ---- native methods ----

    static long oNatives(int i, Object ints, Object doubles, Object floats, CRC32 crc, byte[] bytes) {
        long sum = Array.getLength(ints) + Array.getInt(ints, i & 3);
        Array.setDouble(doubles, i & 3, i * .5);
        Array.setFloat(floats, i & 1, i * .25f);
        sum += (long) Array.getDouble(doubles, i & 3) + (long) (Array.getFloat(floats, i & 1) * 4);
        try { sum += Array.getInt(ints, i % 6); } catch (ArrayIndexOutOfBoundsException e) { sum += 17; }
        try { sum += Array.getInt(i % 2 == 0 ? ints : "none", 1); } catch (IllegalArgumentException e) { sum += 19; }
        try { sum += Array.getLength(i % 3 == 0 ? null : ints); } catch (NullPointerException e) { sum += 23; }
        Object made = Array.newInstance(i % 2 == 0 ? int.class : String.class, i % 9);
        sum += Array.getLength(made) + (made instanceof Object[] ? 1 : 0);
        crc.update(bytes, i & 7, 8);
        sum += crc.getValue() + (Thread.holdsLock(crc) ? 1 : 0);
        sum += (long) (StrictMath.sin(i) * 1000) + (long) (StrictMath.pow(i & 15, 1.5) * 1000);
        sum += ints.getClass().isInstance(i % 2 == 0 ? ints : doubles) ? 1 : 2;
        return sum + (ints.hashCode() == System.identityHashCode(ints) ? 1 : 0);
    }

    // ---- all of it ----

    static void run(int rounds, boolean prints) {
        Crossings c = new Crossings(17);
        int[] ints = {1, 2, 3, 4};
        double[] doubles = new double[4];
        float[] floats = new float[2];
        byte[] bytes = "some bytes to add".getBytes();
        CRC32 crc = new CRC32();
        for (int i = 0; i < rounds; i++) {
            tKinds(i, c);
            oKinds(i, c);
            add(tCatch(i));
            add(oCatch(i));
            add(tUp(i % 40, i, i, c));
            add(oUp(i % 40, i, i, c));
            add(tStatic(i % 5) % 1000);
            try { add(i % 2 == 0 ? c.oLocked(i % 4) : c.tLocked(i % 4)); } catch (Failure f) { add(f.value); }
            if (i % 50 == 0) add(oMake("a", 5, "b", "c", "d", "e", "f", "g").hashCode() + tMake("a", 4, "b", "c", "d", "e", "f", "g").hashCode());
            add(tArea(i));
            add(oNatives(i, ints, doubles, floats, crc, bytes));
        }
        if (Thread.holdsLock(c) || Thread.holdsLock(Crossings.class)) throw new AssertionError("locked");
        if (!prints) return;
        System.out.println("sum " + checksum + " locked " + c.locked + " " + staticLocked);
        System.out.println(oTrace(5));
        System.out.println(tTrace(5));
    }

    static int oOther(int n, int[] sum) { return n == 0 ? sum[0] : tOther(n - 1, sum) + (sum[0] & 1); }
    static int tOther(int n, int[] sum) { sum[0] += n; return n == 0 ? sum[0] : oOther(n - 1, sum) + (sum[0] & 1); }

    public static void main(String[] args) throws Exception {
        run(ROUNDS, true);
        int overflows = 0;
        for (int i = 0; i < 6; i++) overflows += (tOverflow() ? 1 : 0) + (oOverflow() ? 1 : 0);
        System.out.println("overflows " + overflows);
        // Threads with separate sums.
        Thread[] threads = new Thread[4];
        long[] sums = new long[threads.length];
        for (int t = 0; t < threads.length; t++) {
            int me = t;
            threads[t] = new Thread(() -> {
                int[] sum = {me};
                for (int i = 0; i < 2000; i++) {
                    sums[me] += oOther(i % 30, sum) + tOther(i % 20, sum);
                    if (i % 500 == 0) Thread.yield();
                }
            });
            threads[t].start();
        }
        for (Thread t : threads) t.join();
        for (long sum : sums) System.out.println("thread " + sum);
    }
}
