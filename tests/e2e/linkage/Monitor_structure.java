// Unbalanced monitorenter and monitorexit, which no compiler emits: the exception, and the lock's owner after it.
public class Monitor_structure extends Class_writer {
    Monitor_structure() { super(52, 0, "x", null); }

    static Object lock = new Object();

    static void t(String what, int access, Object... code) {
        Class_writer w = plain("L");
        w.addMethod(access, "f", "(Ljava/lang/Object;)V", 4, 2, code);
        Object own = new Object();
        kind(what, () -> call(new Loader(w).loadClass("L"), "f", own));
        System.out.println("  held after: " + Thread.holdsLock(own));
    }

    public static void main(String[] args) throws Exception {
        int s = PUBLIC | STATIC;
        t("paired", s, ALOAD_0, 194, ALOAD_0, 195, RETURN);
        t("nested", s, ALOAD_0, 194, ALOAD_0, 194, ALOAD_0, 195, ALOAD_0, 195, RETURN);
        t("exit only", s, ALOAD_0, 195, RETURN);
        t("null enter", s, 1, 194, RETURN);
        t("null exit", s, 1, 195, RETURN);
        t("synchronized static", s | 32, RETURN);
        t("one too many", s, ALOAD_0, 194, ALOAD_0, 195, ALOAD_0, 195, RETURN);
        Object o = new Object();
        Class_writer w = plain("N");
        w.addMethod(s, "f", "(Ljava/lang/Object;Ljava/lang/Object;)V", 4, 2, ALOAD_0, 194, 43, 194, ALOAD_0, 195, 43, 195, RETURN);
        Object p = new Object();
        kind("crossed", () -> call(new Loader(w).loadClass("N"), "f", o, p));
        System.out.println(Thread.holdsLock(o) + " " + Thread.holdsLock(p));
        synchronized (o) {
            kind("other thread exits", () -> {
                Class_writer x = plain("X");
                x.addMethod(s, "f", "(Ljava/lang/Object;)V", 4, 1, ALOAD_0, 195, RETURN);
                Class<?> c = new Loader(x).loadClass("X");
                Thread t = new Thread(() -> kind("there", () -> call(c, "f", o)));
                t.start();
                t.join();
                return Thread.holdsLock(o);
            });
        }
        System.out.println(Thread.holdsLock(o));
    }
}
