// Failing invokedynamic and dynamic constants: bootstraps that throw, return null or a wrong type, or are missing.
import java.lang.invoke.*;

public class Indy_failures extends Class_writer {
    Indy_failures() { super(52, 0, "x", null); }

    static int tries;
    public static CallSite good(MethodHandles.Lookup l, String n, MethodType t) throws Exception { return new ConstantCallSite(MethodHandles.constant(int.class, 42)); }
    public static CallSite fails(MethodHandles.Lookup l, String n, MethodType t) throws Exception { throw new IllegalStateException("try " + ++tries); }
    public static CallSite error(MethodHandles.Lookup l, String n, MethodType t) { throw new StackOverflowError("own " + ++tries); }
    public static CallSite none(MethodHandles.Lookup l, String n, MethodType t) { return null; }
    public static CallSite wrong(MethodHandles.Lookup l, String n, MethodType t) { return new ConstantCallSite(MethodHandles.constant(String.class, "x")); }
    public static Object text(MethodHandles.Lookup l, String n, MethodType t) { return "no call site"; }
    public static CallSite extra(MethodHandles.Lookup l, String n, MethodType t, int a, String b, Class<?> c) { return new ConstantCallSite(MethodHandles.constant(int.class, a + b.length() + c.getName().length())); }
    public static CallSite many(MethodHandles.Lookup l, String n, MethodType t, Object... rest) { return new ConstantCallSite(MethodHandles.constant(int.class, rest.length)); }
    public static Object constant(MethodHandles.Lookup l, String n, Class<?> t) { tries++; return n.equals("null") ? null : n.equals("bad") ? (Object) 5L : (Object) 42; }
    public static Object broken(MethodHandles.Lookup l, String n, Class<?> t) { throw new IllegalArgumentException("constant " + ++tries); }

    static final String CALL = "(Ljava/lang/invoke/MethodHandles$Lookup;Ljava/lang/String;Ljava/lang/invoke/MethodType;";

    static Class_writer site(String bootstrap, String type, String result, Object... extra) {
        Class_writer w = new Class_writer(55, PUBLIC | SUPER, "D", "java/lang/Object");
        short h = w.handle(6, w.method("Indy_failures", bootstrap, type));
        byte[] args = code();
        for (Object e : extra) args = code(args, e instanceof Integer i ? w.integer(i) : e.equals("cls") ? w.cls("java/lang/Void") : w.string((String) e));
        w.attribute("BootstrapMethods", code((short) 1, h, (short) extra.length, args));
        w.addMethod(PUBLIC | STATIC, "f", "()" + result, 2, 0, 186, w.dynamic(true, 0, "name", "()" + result), (short) 0, result.equals("I") ? IRETURN : ARETURN);
        return w;
    }

    static void t(String what, Class_writer w) throws Exception {
        tries = 0;
        Class<?> c = new Loader(w).loadClass("D");
        for (int i = 0; i < 2; i++) {
            try {
                System.out.println(what + ": " + call(c, "f"));
            } catch (Throwable e) {
                Throwable x = e instanceof java.lang.reflect.InvocationTargetException ? e.getCause() : e;
                System.out.println(what + ": " + x + (x.getCause() == null ? "" : " <- " + (x.getCause() instanceof NullPointerException ? "null" : x.getCause())) + " tries " + tries);
            }
        }
    }

    static Class_writer condy(String bootstrap, String name, String type) {
        Class_writer w = new Class_writer(55, PUBLIC | SUPER, "D", "java/lang/Object");
        short h = w.handle(6, w.method("Indy_failures", bootstrap, "(Ljava/lang/invoke/MethodHandles$Lookup;Ljava/lang/String;Ljava/lang/Class;)Ljava/lang/Object;"));
        w.attribute("BootstrapMethods", code((short) 1, h, (short) 0));
        if (type.equals("J")) w.addMethod(PUBLIC | STATIC, "f", "()J", 2, 0, 20, w.dynamic(false, 0, name, type), 173);
        else w.addMethod(PUBLIC | STATIC, "f", "()" + type, 2, 0, 18, (int) w.dynamic(false, 0, name, type), type.equals("I") ? IRETURN : ARETURN);
        return w;
    }

    public static void main(String[] args) throws Exception {
        String end = ")Ljava/lang/invoke/CallSite;";
        t("good", site("good", CALL + end, "I"));
        t("fails", site("fails", CALL + end, "I"));
        t("error", site("error", CALL + end, "I"));
        t("none", site("none", CALL + end, "I"));
        t("wrong", site("wrong", CALL + end, "I"));
        t("text", site("text", CALL + ")Ljava/lang/Object;", "I"));
        t("missing", site("absent", CALL + end, "I"));
        t("extra", site("extra", CALL + "ILjava/lang/String;Ljava/lang/Class;" + end, "I", 5, "four", "cls"));
        t("extra too few", site("extra", CALL + "ILjava/lang/String;Ljava/lang/Class;" + end, "I", 5, "four"));
        t("many", site("many", CALL + "[Ljava/lang/Object;" + end, "I", 1, "a", "b", 2));
        t("absent type", site("good", CALL + end, "LNowhere;"));
        t("constant", condy("constant", "x", "I"));
        t("constant null", condy("constant", "null", "Ljava/lang/String;"));
        t("constant null int", condy("constant", "null", "I"));
        t("constant bad", condy("constant", "bad", "Ljava/lang/String;"));
        t("constant widened", condy("constant", "x", "J"));
        t("constant broken", condy("broken", "x", "I"));
    }
}
