// The Java half of jni_functions.c, which calls every function of the JNI table and returns its results as text.
import java.lang.reflect.Constructor;
import java.lang.reflect.Field;
import java.lang.reflect.Method;
import java.nio.ByteBuffer;

public class Jni_functions {
    boolean z = true; byte b = -7; char c = 'q'; short s = -300; int i = 123456789;
    long j = 1234567890123456789L; float f = 1.25f; double d = -2.5e100; String o = "field";
    volatile long volatileLong = 5; private final int hidden = 42;
    static boolean sz = true; static byte sb = -8; static char sc = 'r'; static short ss = -301;
    static int si = 987654321; static long sj = -1234567890123456789L; static float sf = 2.5f;
    static double sd = 3.5e-100; static String so = "static field";

    boolean getZ(boolean v) { return !v; }
    byte getB(byte v) { return (byte) (v + 1); }
    char getC(char v) { return (char) (v + 1); }
    short getS(short v) { return (short) (v + 1); }
    int getI(int v) { return v + 1; }
    long getJ(long v) { return v + 1; }
    float getF(float v) { return v + 1; }
    double getD(double v) { return v + 1; }
    String getO(String v) { return "base " + v; }
    void getV(StringBuilder v) { v.append("base "); }
    static boolean staticZ(boolean v) { return !v; }
    static byte staticB(byte v) { return (byte) (v - 1); }
    static char staticC(char v) { return (char) (v - 1); }
    static short staticS(short v) { return (short) (v - 1); }
    static int staticI(int v) { return v - 1; }
    static long staticJ(long v) { return v - 1; }
    static float staticF(float v) { return v - 1; }
    static double staticD(double v) { return v - 1; }
    static String staticO(String v) { return "static " + v; }
    static void staticV(StringBuilder v) { v.append("static "); }
    static String mix(boolean z, byte b, char c, short s, int i, long j, float f, double d,
                      String o, int[] a, long last) {
        return z + " " + b + " " + c + " " + s + " " + i + " " + j + " " + f + " " + d + " " + o + " "
            + a.length + " " + last;
    }
    static int thrower(int n) {
        if (n == 0) throw new IllegalStateException("from below");
        return thrower(n - 1);
    }

    static class Sub extends Jni_functions {
        final String made;
        Sub(String made, long n, double d) { this.made = made + n + d; }
        Sub() { made = "none"; }
        @Override int getI(int v) { return v * 2; }
        @Override String getO(String v) { return "sub " + v; }
        @Override void getV(StringBuilder v) { v.append("sub "); }
        @Override double getD(double v) { return v * 2; }
    }
    interface Shape { int area(); default String text() { return "area " + area(); } static int unit() { return 1; } }
    record Square(int side) implements Shape { public int area() { return side * side; } }
    abstract static class Abstract { }
    static class Plain { }
    static class Failing { static { if (true) throw new RuntimeException("clinit"); } static int x; }
    static class Lazy { static { System.out.println("Lazy initialised"); } static int value = 9; }

    native String calls(Jni_functions sub);
    static native String fields(Jni_functions object);
    static native String newObjects(Class<?> sub);
    static native String classes(Object sub, ClassLoader loader);
    static native String strings(String latin, String wide, String empty);
    static native String arrays(int[] ints, Object[] objects, boolean[] bits);
    static native String exceptions();
    static native String references(Object o);
    static native String monitors(Object lock);
    static native String buffers(ByteBuffer direct, ByteBuffer heap);
    static native String reflection(Method m, Constructor<?> k, Field f);
    static native String interfaces(Shape shape);
    static native byte[] classBytes(byte[] bytes);
    static native String defineClass(ClassLoader loader, byte[] bytes);
    static native String manyLocals(int n);
    static native void throwFromNative(String message);
    static native synchronized boolean lockedStatic();
    native synchronized boolean lockedInstance();
    static native int missing(int a, String b);
    static native long registered(long a, int b);
    static native String register(Class<?> c);
    static native String verify(Class<?>[] classes);
    static native String threads(Runnable r);
    static native int overloaded(int a);
    static native int overloaded(long a, String[] b);
    static native int with_under_score$dollar(int a);
    static native Object identity(Object o);
    static native double sum(double a, float b, double c, float d, double e, float f, double g, float h,
                             double i, float j, int k, long l, int m, long n, int o, long p, int q);

    static void check(String what, String text) { System.out.println("--- " + what); System.out.print(text); }

    static void expect(String what, Runnable r) {
        try {
            r.run();
            System.out.println(what + ": nothing thrown");
        } catch (Throwable t) {
            System.out.println(what + ": " + t);
            for (StackTraceElement e : t.getStackTrace())
                if (e.getClassName().startsWith("Jni_functions") && !e.getMethodName().startsWith("lambda"))
                    System.out.println("    " + e.getMethodName() + (e.isNativeMethod() ? " native" : ""));
        }
    }

    public static void main(String[] args) throws Exception {
        System.load(args[0]);
        Sub sub = new Sub("s", 1, 2.0);
        check("calls", new Jni_functions().calls(sub));
        check("fields", fields(new Jni_functions()));
        check("newObjects", newObjects(Sub.class));
        check("classes", classes(sub, Jni_functions.class.getClassLoader()));
        check("strings", strings("Latin \u00e9\0x", "wide \u20ac \ud83d\ude00!", ""));
        check("arrays", arrays(new int[] {1, 2, 3, 4}, new String[] {"a", "b"}, new boolean[] {true, false}));
        check("exceptions", exceptions());
        check("references", references(new Object()));
        check("monitors", monitors(new Object()));
        check("buffers", buffers(ByteBuffer.allocateDirect(64), ByteBuffer.allocate(8)));
        check("reflection", reflection(Jni_functions.class.getDeclaredMethod("staticI", int.class),
            Sub.class.getDeclaredConstructor(), Jni_functions.class.getDeclaredField("si")));
        check("interfaces", interfaces(new Square(5)));
        check("manyLocals", manyLocals(20000));
        // Not linked yet: other VMs rewrite bytecode when they link.
        String[] names = {"java.util.Observable", "java.util.SimpleTimeZone", "java.io.LineNumberReader",
            "java.io.PipedReader", "java.text.ChoiceFormat", "java.util.zip.CheckedInputStream",
            "java.text.MessageFormat", "java.io.SequenceInputStream", "java.io.StreamTokenizer",
            "java.util.EventListener", "java.text.CollationElementIterator"};
        Class<?>[] unlinked = new Class<?>[names.length];
        for (int n = 0; n < names.length; n++) unlinked[n] = Class.forName(names[n], false, null);
        check("verify", verify(unlinked));
        check("threads", threads(() -> System.out.println(Thread.currentThread().getName() + " daemon="
            + Thread.currentThread().isDaemon() + " group=" + Thread.currentThread().getThreadGroup().getName())));
        expect("throwFromNative", () -> throwFromNative("native message"));
        expect("missing", () -> missing(1, "x"));
        System.out.println(lockedStatic() + " " + new Jni_functions().lockedInstance() + " "
            + Thread.holdsLock(Jni_functions.class));
        expect("registered before", () -> registered(1, 2));
        check("register", register(Jni_functions.class));
        System.out.println(registered(40, 2));
        System.out.println(overloaded(3) + " " + overloaded(4, new String[7]) + " " + with_under_score$dollar(5));
        System.out.println(identity("same") + " " + identity(null));
        System.out.println(sum(1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17));
        byte[] bytes;
        try (var in = Jni_functions.class.getResourceAsStream("Jni_functions$Plain.class")) {
            bytes = in.readAllBytes();
        }
        System.out.println(java.util.Arrays.equals(bytes, classBytes(bytes)));
        ClassLoader other = new ClassLoader(null) {
            @Override protected Class<?> findClass(String name) throws ClassNotFoundException {
                return Jni_functions.class.getClassLoader().loadClass(name);
            }
        };
        check("defineClass", defineClass(other, bytes));
    }
}
