// timeout: 240
// Methods that no compiler emits: they leave monitors entered, or exit monitors of other frames or that of their
// synchronized method. Shows the exceptions, where they are thrown, and the owners of the locks afterwards.
import java.util.*;

public class Monitor_leaks extends Class_writer {
    Monitor_leaks() { super(52, 0, "x", null); }

    /** The generated classes implement this. Their code has `this` in local 0 and the arguments after it. */
    public interface Made { long f(Object a, Object b, Runnable r) throws Throwable; }

    static final int SYNCHRONIZED = 32, ACONST_NULL = 1, LCONST_0 = 9, A = 43, B = 44, R = 45, STORE_A = 76, STORE_B = 77,
        POP = 87, GOTO = 167, LRETURN = 173, ATHROW = 191, ENTER = 194, EXIT = 195, IINC = 132, IFNE = 154, IFLE = 158;

    static byte[] run(Class_writer w) { return code(R, INVOKEINTERFACE, w.imethod("java/lang/Runnable", "run", "()V"), 1, 0); }

    static byte[] again(Class_writer w) {
        return code(ALOAD_0, A, B, R, INVOKEVIRTUAL, w.method("M", "f", "(Ljava/lang/Object;Ljava/lang/Object;Ljava/lang/Runnable;)J"), 88);
    }

    static final byte[] LEAVE = code(LCONST_0, LRETURN);

    interface Coding { byte[] of(Class_writer w); }

    static Made make(int access, int[][] handlers, Coding coding) throws Exception {
        Class_writer w = new Class_writer(49, PUBLIC | SUPER, "M", "java/lang/Object", "Monitor_leaks$Made");
        w.addConstructor();
        w.addMethod(PUBLIC | access, "f", "(Ljava/lang/Object;Ljava/lang/Object;Ljava/lang/Runnable;)J", 6, 6, coding.of(w), handlers);
        return (Made) new Loader(w).loadClass("M").getConstructor().newInstance();
    }

    static String thrown(Throwable e) {
        List<String> places = new ArrayList<>();
        for (StackTraceElement s : e.getStackTrace()) {
            if (s.getClassName().equals("java.lang.Thread")) break;
            places.add(s.getMethodName());
            if (s.getMethodName().equals("outcome")) break;
        }
        return e.getClass().getSimpleName() + " " + e.getMessage() + " " + places + " cause " + e.getCause() + " " + e.getSuppressed().length;
    }

    static String outcome(Made m, Object a, Object b, Runnable r) {
        try {
            return "" + m.f(a, b, r);
        } catch (Throwable e) {
            return thrown(e);
        }
    }

    static boolean isFree(Object o) {
        if (Thread.holdsLock(o)) return false;
        Thread t = new Thread(() -> { synchronized (o) { o.notify(); } });
        t.setDaemon(true);
        t.start();
        try {
            t.join(5000);
        } catch (InterruptedException e) {
            return false;
        }
        return !t.isAlive();
    }

    static void show(String what, Made m, Runnable r) {
        Object a = new Object(), b = new Object();
        System.out.println(what + ": " + outcome(m, a, b, r));
        System.out.println("  free: " + isFree(a) + " " + isFree(b) + " " + isFree(m) + " " + isFree(m.getClass()));
        String within;
        synchronized (a) {
            synchronized (m) {
                within = outcome(m, a, b, r) + " " + Thread.holdsLock(a) + Thread.holdsLock(b) + Thread.holdsLock(m);
            }
        }
        System.out.println("  within: " + within);
        System.out.println("  free: " + isFree(a) + " " + isFree(b) + " " + isFree(m));
        // Often enough to be compiled, if it can be compiled at all.
        Map<String, Integer> outcomes = new TreeMap<>();
        for (int i = 0; i < 3000; i++) outcomes.merge(caught(m, a, b, r), 1, Integer::sum);
        System.out.println("  often: " + outcomes + " " + isFree(a) + isFree(b) + isFree(m));
    }

    static String caught(Made m, Object a, Object b, Runnable r) {
        try {
            m.f(a, b, r);
            return "none";
        } catch (Throwable e) {
            return e.getClass().getSimpleName() + (e.getStackTrace().length == 0 ? " without trace" : "");
        }
    }

    static void t(String what, int access, Coding c) throws Exception { show(what, make(access, new int[0][], c), () -> {}); }

    static <T extends Throwable> void raise(Throwable e) throws T { throw (T) e; }

    static void thrower(String what, int access, Throwable e, Coding c) throws Exception {
        show(what, make(access, new int[0][], c), () -> Monitor_leaks.<RuntimeException>raise(e));
    }

    static void simple() throws Exception {
        t("paired", 0, w -> code(A, ENTER, A, EXIT, LEAVE));
        t("never left", 0, w -> code(A, ENTER, LEAVE));
        t("entered twice, left once", 0, w -> code(A, ENTER, A, ENTER, A, EXIT, LEAVE));
        t("two never left", 0, w -> code(A, ENTER, B, ENTER, LEAVE));
        t("the first never left", 0, w -> code(A, ENTER, B, ENTER, B, EXIT, LEAVE));
        t("the second never left", 0, w -> code(A, ENTER, B, ENTER, A, EXIT, LEAVE));
        t("crossed", 0, w -> code(A, ENTER, B, ENTER, A, EXIT, B, EXIT, LEAVE));
        t("exit alone", 0, w -> code(A, EXIT, LEAVE));
        t("exit of another", 0, w -> code(A, ENTER, B, EXIT, LEAVE));
        t("one exit too many", 0, w -> code(A, ENTER, A, EXIT, A, EXIT, LEAVE));
        t("exit and enter", 0, w -> code(A, EXIT, A, ENTER, LEAVE));
        t("variable replaced", 0, w -> code(A, ENTER, B, STORE_A, A, EXIT, LEAVE));
        t("by another variable", 0, w -> code(A, STORE_B, A, ENTER, B, EXIT, LEAVE));
        t("null", 0, w -> code(A, ENTER, ACONST_NULL, EXIT, LEAVE));
        t("null entered", 0, w -> code(A, ENTER, ACONST_NULL, ENTER, LEAVE));
    }

    static void synchronizedMethods() throws Exception {
        t("synchronized", SYNCHRONIZED, w -> code(A, ENTER, A, EXIT, LEAVE));
        t("synchronized, never left", SYNCHRONIZED, w -> code(A, ENTER, LEAVE));
        t("synchronized, its own entered", SYNCHRONIZED, w -> code(ALOAD_0, ENTER, LEAVE));
        t("synchronized, its own entered and left", SYNCHRONIZED, w -> code(ALOAD_0, ENTER, ALOAD_0, EXIT, LEAVE));
        t("synchronized, its own left", SYNCHRONIZED, w -> code(ALOAD_0, EXIT, LEAVE));
        t("synchronized, its own left twice", SYNCHRONIZED, w -> code(ALOAD_0, EXIT, ALOAD_0, EXIT, LEAVE));
        t("synchronized, its own left and entered", SYNCHRONIZED, w -> code(ALOAD_0, EXIT, ALOAD_0, ENTER, LEAVE));
        t("synchronized, its own left, another entered", SYNCHRONIZED, w -> code(ALOAD_0, EXIT, A, ENTER, LEAVE));
        t("synchronized, another entered, its own left", SYNCHRONIZED, w -> code(A, ENTER, ALOAD_0, EXIT, LEAVE));
        thrower("synchronized, its own left, throws", SYNCHRONIZED, new IllegalStateException("r"), w -> code(ALOAD_0, EXIT, run(w), LEAVE));
        thrower("synchronized, never left, throws", SYNCHRONIZED, new IllegalStateException("r"), w -> code(A, ENTER, run(w), LEAVE));
    }

    static void exceptions() throws Exception {
        thrower("throws", 0, new IllegalStateException("r"), w -> code(run(w), A, ENTER, A, EXIT, LEAVE));
        thrower("throws with a monitor", 0, new IllegalStateException("r"), w -> code(A, ENTER, run(w), A, EXIT, LEAVE));
        thrower("throws with two", 0, new IllegalStateException("r"), w -> code(A, ENTER, B, ENTER, run(w), B, EXIT, A, EXIT, LEAVE));
        thrower("dies with a monitor", 0, new ThreadDeath(), w -> code(A, ENTER, run(w), A, EXIT, LEAVE));
        t("athrow of null with a monitor", 0, w -> code(A, ENTER, ACONST_NULL, ATHROW));
        show("return in a try block", make(0, new int[][]{{0, 4, 4, 0}}, w -> code(A, ENTER, LEAVE, POP, A, EXIT, LEAVE)), () -> {});
        show("return in a try block, again", make(0, new int[][]{{0, 4, 4, 0}}, w -> code(A, ENTER, LEAVE, ATHROW)), () -> {});
        show("synchronized, return in a try block", make(SYNCHRONIZED, new int[][]{{0, 4, 4, 0}}, w -> code(A, ENTER, LEAVE, POP, A, EXIT, LEAVE)), () -> {});
        show("exit in a try block", make(0, new int[][]{{0, 2, 4, 0}}, w -> code(A, EXIT, LEAVE, POP, LEAVE)), () -> {});
        show("handler that does not leave", make(0, new int[][]{{2, 8, 12, 0}}, w -> code(A, ENTER, run(w), A, EXIT, LEAVE, ATHROW)),
             () -> { throw new IllegalStateException("r"); });
    }

    static void frames() throws Exception {
        Made inner = make(0, new int[0][], w -> code(A, EXIT, LEAVE));
        Made leak = make(0, new int[0][], w -> code(A, ENTER, LEAVE));
        Object shared = new Object(), other = new Object();
        Runnable exits = () -> System.out.println("  inner " + outcome(inner, shared, other, null) + " " + Thread.holdsLock(shared));
        Runnable leaks = () -> System.out.println("  inner " + outcome(leak, shared, other, null) + " " + Thread.holdsLock(shared));
        Made entered = make(0, new int[0][], w -> code(A, ENTER, run(w), A, EXIT, LEAVE));
        Made twice = make(0, new int[0][], w -> code(A, ENTER, A, ENTER, run(w), A, EXIT, LEAVE));
        for (Runnable r : new Runnable[]{exits, leaks}) {
            for (Made m : new Made[]{entered, twice}) {
                System.out.println("outer " + outcome(m, shared, other, r) + " " + isFree(shared));
            }
        }
        System.out.println("reflection");
        var f = inner.getClass().getDeclaredMethods()[0];
        System.out.println("  " + outcome(entered, shared, other, () -> {
            try {
                f.invoke(inner, shared, other, null);
            } catch (java.lang.reflect.InvocationTargetException e) {
                System.out.println("  " + e.getCause().getClass() + " " + Thread.holdsLock(shared));
            } catch (IllegalAccessException e) {
                System.out.println(e);
            }
        }) + " " + isFree(shared));
        int[] depth = {0};
        Made[] self = new Made[1];
        self[0] = make(0, new int[0][], w -> code(A, ENTER, run(w), LEAVE));
        System.out.println("recursion " + outcome(self[0], shared, other, new Runnable() {
            public void run() {
                if (depth[0]++ < 5) Monitor_leaks.<RuntimeException>raise(thrownBy(self[0], shared, other, this));
            }
        }) + " " + isFree(shared));
        System.out.println("waits " + outcome(self[0], shared, other, () -> {
            try {
                shared.wait(1);
            } catch (InterruptedException e) {
                System.out.println(e);
            }
        }) + " " + isFree(shared));
        System.out.println("overflow " + caught(make(0, new int[0][], w -> code(A, ENTER, again(w), A, EXIT, LEAVE)), shared, other, null) + " " + isFree(shared));
    }

    static Throwable thrownBy(Made m, Object a, Object b, Runnable r) {
        try {
            m.f(a, b, r);
            return new RuntimeException("none");
        } catch (Throwable e) {
            return e;
        }
    }

    // As many exits as entries, which only a counter can tell; local 4 is the counter.
    static void loops() throws Exception {
        byte[] count = code(16, 100, 54, 4);
        for (int exits = 99; exits <= 101; exits++) {
            byte[] more = code(16, exits, 54, 4);
            t("entered 100 times, left " + exits + " times", 0,
              w -> code(count, A, ENTER, IINC, 4, -1, 21, 4, IFNE, (short) -7, more, A, EXIT, IINC, 4, -1, 21, 4, IFNE, (short) -7, LEAVE));
        }
        t("a loop of paired ones", 0, w -> code(count, A, ENTER, B, ENTER, B, EXIT, A, EXIT, IINC, 4, -1, 21, 4, IFNE, (short) -13, LEAVE));
        t("a loop that swaps them", 0, w -> code(count, A, ENTER, B, ENTER, B, EXIT, A, EXIT, A, B, STORE_A, STORE_B, IINC, 4, -1, 21, 4, IFNE, (short) -17, LEAVE));
        t("a loop that swaps them inside", 0, w -> code(count, A, ENTER, A, B, STORE_A, STORE_B, B, EXIT, IINC, 4, -1, 21, 4, IFNE, (short) -13, LEAVE));
        t("a loop that exits the other", 0, w -> code(count, A, ENTER, A, B, STORE_A, STORE_B, A, EXIT, IINC, 4, -1, 21, 4, IFNE, (short) -13, LEAVE));
    }

    public static void main(String[] args) throws Throwable {
        simple();
        synchronizedMethods();
        exceptions();
        frames();
        loops();
        // A collection runs while only such a frame refers to the object.
        Made keeps = make(0, new int[0][], w -> code(NEW, w.cls("java/lang/Object"), DUP, INVOKESPECIAL, w.method("java/lang/Object", "<init>", "()V"), ENTER, run(w), LEAVE));
        System.out.println("collected " + outcome(keeps, null, null, () -> {
            for (int i = 0; i < 20; i++) {
                byte[][] garbage = new byte[100][];
                for (int k = 0; k < 100; k++) garbage[k] = new byte[10000];
                System.gc();
            }
        }));
    }
}
