// Runs the sequences S<FIRST>... of the class path, each often enough to get template code, and prints a hash of their
// results and exceptions: Run FIRST COUNT [TIMES [-v]]; -v prints a line for each run.
import java.util.Random;

interface Sequence { long run(Values v) throws Throwable; }
interface Ops { int apply(int a); }
class Doubles implements Ops { public int apply(int a) { return a * 2; } }
class Negates implements Ops { public int apply(int a) { return -a; } }
class Throws implements Ops {
    public int apply(int a) {
        if (a % 3 == 0) throw new IllegalStateException();
        return a + 3;
    }
}

class Values {
    static int si;
    static long sj;
    static float sf;
    static double sd;
    static Object sa;
    int i0, i1, i2, number;
    volatile int vi;
    boolean z;
    byte b;
    char c;
    short s;
    long j0, j1, j2;
    float f0, f1, f2;
    double d0, d1, d2;
    Object a0, a1, a2;
    Ops ops;
    int[] iArray = new int[8];
    byte[] bArray = new byte[8];
    boolean[] zArray = new boolean[8];
    char[] cArray = new char[8];
    short[] sArray = new short[8];
    long[] jArray = new long[8];
    float[] fArray = new float[8];
    double[] dArray = new double[8];
    Object[] aArray = new Object[8], strings = new String[8];

    private static final int[] INTS = {0, 1, -1, 2, 5, 31, 32, 33, 63, 64, 127, 128, 255, 32768, 65535, Integer.MAX_VALUE, Integer.MIN_VALUE};
    private static final double[] DOUBLES = {0.0, -0.0, 1, -1.5, 3e9, -3e9, 1e19, -1e19, Double.NaN, Double.POSITIVE_INFINITY, Double.NEGATIVE_INFINITY,
                                             Double.MIN_VALUE, Double.MAX_VALUE, 0.1};

    private static int anInt(Random r) { return r.nextInt(2) == 0 ? INTS[r.nextInt(INTS.length)] : r.nextInt(3) == 0 ? r.nextInt() : r.nextInt(9) - 4; }
    private static long aLong(Random r) { return r.nextInt(2) == 0 ? anInt(r) : r.nextInt(3) == 0 ? Long.MIN_VALUE >> r.nextInt(63) : r.nextLong(); }
    private static double aDouble(Random r) { return r.nextInt(2) == 0 ? DOUBLES[r.nextInt(DOUBLES.length)] : r.nextInt(20) - 10; }
    private static Object anObject(Random r) {
        switch (r.nextInt(6)) {
            case 0: return null;
            case 1: return "string " + r.nextInt(3);
            case 2: return r.nextInt(5);
            case 3: return new int[r.nextInt(4)];
            case 4: return new Object[] {"a"};
            default: return new java.util.ArrayList<Object>();
        }
    }

    Values(Random r, int number) {
        this.number = number;
        si = anInt(r);
        sj = aLong(r);
        sf = (float)aDouble(r);
        sd = aDouble(r);
        sa = anObject(r);
        i0 = anInt(r); i1 = anInt(r); i2 = anInt(r);
        vi = anInt(r);
        z = r.nextBoolean(); b = (byte)anInt(r); c = (char)anInt(r); s = (short)anInt(r);
        j0 = aLong(r); j1 = aLong(r); j2 = aLong(r);
        f0 = (float)aDouble(r); f1 = (float)aDouble(r); f2 = (float)aDouble(r);
        d0 = aDouble(r); d1 = aDouble(r); d2 = aDouble(r);
        a0 = anObject(r); a1 = anObject(r); a2 = anObject(r);
        int which = number < 130 ? 0 : r.nextInt(3);
        ops = which == 0 ? new Doubles() : which == 1 ? new Negates() : new Throws();
        for (int i = 0; i < 8; i++) {
            iArray[i] = anInt(r); bArray[i] = (byte)anInt(r); zArray[i] = r.nextBoolean(); cArray[i] = (char)anInt(r); sArray[i] = (short)anInt(r);
            jArray[i] = aLong(r); fArray[i] = (float)aDouble(r); dArray[i] = aDouble(r); aArray[i] = anObject(r);
        }
        if (r.nextInt(40) == 0) dArray = null;
    }

    long counted;
    void count() { counted++; }
    int virtual(int a, int b) { return a * 31 + b; }
    synchronized int locked(int a, int b) {
        if (a == 1 && b == 2) throw new IllegalArgumentException();
        return a - b;
    }

    long hash() {
        long h = i0 * 3 + i1 * 5 + i2 * 7 + vi + si + (z ? 1 : 2) + b + c + s + j0 * 11 + j1 * 13 + j2 * 17 + sj;
        h = h * 31 + Float.floatToIntBits(f0) + Float.floatToIntBits(f1) + Float.floatToIntBits(f2) + Float.floatToIntBits(sf);
        h = h * 31 + Double.doubleToLongBits(d0) * 3 + Double.doubleToLongBits(d1) * 5 + Double.doubleToLongBits(d2) + Double.doubleToLongBits(sd);
        h = h * 31 + Run.number(a0) + Run.number(a1) * 3 + Run.number(a2) * 5 + Run.number(sa) * 7;
        for (int i = 0; i < 8; i++) {
            h = h * 31 + iArray[i] + bArray[i] * 3 + (zArray[i] ? 5 : 6) + cArray[i] + sArray[i] + jArray[i] + Float.floatToIntBits(fArray[i]);
            h = h * 31 + (dArray == null ? 1 : Double.doubleToLongBits(dArray[i])) + Run.number(aArray[i]) + Run.number(strings[i]);
        }
        return h;
    }
}

public class Run {
    static int number(Object o) {
        if (o == null) return 7;
        if (o instanceof String || o instanceof Integer) return o.hashCode();
        return o.getClass().getName().hashCode() + (o instanceof int[] ? ((int[])o).length : 0);
    }
    static int mixI(int a, int b) {
        if (a == 3) throw new UnsupportedOperationException();
        return a * 7 - b;
    }
    static long mixJ(long a, int b) { return a ^ (long)b << 32; }
    static float mixF(float a, double b) { return a + (float)b; }
    static double mixD(double a, long b) { return b == 0 ? a / 0 : a + b; }
    static Object mixA(Object a, int b) { return b % 2 == 0 ? a : "other"; }
    static int narrowB(int a) { return (byte)a; }
    static int narrowZ(int a) { return a > 2 ? 1 : 0; }
    static long many(int a, long b, float c, double d, Object e, int f, long g) { return a + b * 3 + (long)c + (long)d * 5 + number(e) + f * 7 + g * 9; }
    static void nothing(int a, double b) {}

    private static long hash(int n, int times, boolean tells) throws Exception {
        Sequence s = (Sequence)Class.forName("S" + n).getDeclaredConstructor().newInstance();
        Random r = new Random(n);
        long hash = 0;
        for (int i = 0; i < times; i++) {
            Values v = new Values(r, i);
            long result;
            String thrown = "";
            try {
                result = s.run(v);
            } catch (Throwable t) {
                result = t.getClass().getName().hashCode();
                thrown = " " + t;
            }
            hash = (hash * 31 + result) * 31 + v.hash();
            if (tells) System.out.println(i + " " + result + " " + hash + thrown);
        }
        return hash;
    }

    public static long hash(int first, int count, int times) throws Exception {
        long hash = 0;
        for (int n = first; n < first + count; n++) hash = hash * 31 + hash(n, times, false);
        return hash;
    }

    public static void main(String[] args) throws Exception {
        int first = Integer.parseInt(args[0]), count = Integer.parseInt(args[1]), times = args.length > 2 ? Integer.parseInt(args[2]) : 400;
        for (int n = first; n < first + count; n++) System.out.println("S" + n + " " + hash(n, times, args.length > 3));
    }
}
