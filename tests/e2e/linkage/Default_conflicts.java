// Default methods in hand-made classes: conflicts, diamonds, re-abstraction, private ones, class wins, super calls.
public class Default_conflicts extends Class_writer {
    Default_conflicts() { super(52, 0, "x", null); }

    static Class_writer i(String name, int value, String... supers) {
        Class_writer w = new Class_writer(52, PUBLIC | INTERFACE | ABSTRACT, name, "java/lang/Object", supers);
        if (value == -1) w.addAbstract(PUBLIC | ABSTRACT, "f", "()I");
        else if (value > 0) w.addMethod(PUBLIC, "f", "()I", 1, 1, 16, value, IRETURN);
        return w;
    }

    static Class_writer k(String name, String parent, int value, String... is) {
        Class_writer w = new Class_writer(52, PUBLIC | SUPER, name, parent, is);
        w.addConstructor(parent);
        if (value > 0) w.addMethod(PUBLIC, "f", "()I", 1, 1, 16, value, IRETURN);
        return w;
    }

    /** A conflict seen through an interface; a subclass of IncompatibleClassChangeError will do too (JVMS 6.5). */
    static void conflict(String what, String of, Class_writer... ws) {
        show(what, () -> {
            try {
                return go(of, true, "I", ws);
            } catch (java.lang.reflect.InvocationTargetException e) {
                return e.getCause() instanceof IncompatibleClassChangeError ? "conflict" : e.getCause();
            }
        });
    }

    static void t(String what, String of, boolean through, String owner, Class_writer... ws) {
        show(what, () -> go(of, through, owner, ws));
    }

    static Object go(String of, boolean through, String owner, Class_writer... ws) throws Throwable {
        Class_writer m = plain("Main");
        short ref = through ? m.imethod(owner, "f", "()I") : m.method(owner, "f", "()I");
        m.addMethod(PUBLIC | STATIC, "go", "()I", 3, 0, code(NEW, m.cls(of), DUP, INVOKESPECIAL, m.method(of, "<init>", "()V"), through ? code(INVOKEINTERFACE, ref, 1, 0) : code(INVOKEVIRTUAL, ref), IRETURN), new int[0][]);
        return call(new Loader(ws).add(m).loadClass("Main"), "go");
    }

    public static void main(String[] args) {
        t("one", "K", true, "I", i("I", 1), k("K", "java/lang/Object", 0, "I"));
        conflict("conflict through I", "K", i("I", 1), i("J", 2), k("K", "java/lang/Object", 0, "I", "J"));
        t("conflict through K", "K", false, "K", i("I", 1), i("J", 2), k("K", "java/lang/Object", 0, "I", "J"));
        t("class wins", "K", true, "J", i("I", 1), i("J", 2), k("K", "java/lang/Object", 9, "I", "J"));
        t("inherited class wins", "K", true, "J", i("J", 2), k("P", "java/lang/Object", 8), k("K", "P", 0, "J"));
        t("more specific", "K", true, "I", i("I", 1), i("J", 2, "I"), k("K", "java/lang/Object", 0, "I", "J"));
        t("diamond", "K", true, "I", i("I", 1), i("J", 0, "I"), i("L", 3, "I"), k("K", "java/lang/Object", 0, "J", "L"));
        t("diamond without override", "K", true, "I", i("I", 1), i("J", 0, "I"), i("L", 0, "I"), k("K", "java/lang/Object", 0, "J", "L"));
        conflict("diamond twice overridden", "K", i("I", 1), i("J", 2, "I"), i("L", 3, "I"), k("K", "java/lang/Object", 0, "J", "L"));
        t("made abstract again", "K", true, "I", i("I", 1), i("J", -1, "I"), k("K", "java/lang/Object", 0, "J"));
        t("abstract and default apart", "K", true, "I", i("I", 1), i("J", -1), k("K", "java/lang/Object", 0, "I", "J"));
        t("conflict solved below", "S", true, "I", i("I", 1), i("J", 2), k("K", "java/lang/Object", 0, "I", "J"), k("S", "K", 7));
        conflict("conflict only below", "S", i("I", 1), i("J", 2), k("K", "java/lang/Object", 0, "I"), k("S", "K", 0, "J"));
        Class_writer priv = new Class_writer(52, PUBLIC | INTERFACE | ABSTRACT, "I", "java/lang/Object");
        priv.addMethod(PRIVATE, "f", "()I", 1, 1, 16, 44, IRETURN);
        t("private of interface", "K", true, "I", priv, k("K", "java/lang/Object", 0, "I"));
        Class_writer notPublic = k("K", "java/lang/Object", 0, "I");
        notPublic.addMethod(PROTECTED, "f", "()I", 1, 1, 16, 33, IRETURN);
        t("implementation not public", "K", true, "I", i("I", -1), notPublic);
        Class_writer stat = k("K", "java/lang/Object", 0, "I");
        stat.addMethod(PUBLIC | STATIC, "f", "()I", 1, 0, 16, 33, IRETURN);
        t("implementation static", "K", true, "I", i("I", 1), stat);
        Class_writer sup = k("K", "java/lang/Object", 0, "I", "J");
        sup.addMethod(PUBLIC, "f", "()I", 2, 1, ALOAD_0, INVOKESPECIAL, sup.imethod("I", "f", "()I"), ALOAD_0, INVOKESPECIAL, sup.imethod("J", "f", "()I"), 96, IRETURN);
        t("both through super", "K", true, "I", i("I", 1), i("J", 2), sup);
        Class_writer indirect = k("K", "java/lang/Object", 0, "J");
        indirect.addMethod(PUBLIC, "f", "()I", 2, 1, ALOAD_0, INVOKESPECIAL, indirect.imethod("I", "f", "()I"), IRETURN);
        kind("super of indirect interface", () -> { t("", "K", true, "I", i("I", 1), i("J", 2, "I"), indirect); return ""; });
    }
}
