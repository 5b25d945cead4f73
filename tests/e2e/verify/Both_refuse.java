// stderr: ignore
// Version-50 files that the type checker rejects are passed to the inferring verifier. If both reject a file, the type
// checker's message is reported.
public class Both_refuse extends Class_writer {
    Both_refuse() { super(50, 0, "x", null); }

    static void t(String what, int version, Object... body) {
        Class_writer w = new Class_writer(version, PUBLIC | SUPER, "M", "java/lang/Object");
        w.addMethod(PUBLIC | STATIC, "f", "(I)I", 2, 2, body);
        try {
            System.out.println(what + " " + version + ": " + call(new Loader(w).loadClass("M"), "f", 3));
        } catch (Throwable e) {
            System.out.println(what + " " + version + ": " + e);
        }
    }

    public static void main(String[] args) {
        for (int version : new int[] {49, 50, 51}) {
            t("reference for int", version, 1, IRETURN);
            t("missing map", version, 26, 153, (short) 5, 4, IRETURN, 5, IRETURN);
            t("missing map, and wrong", version, 26, 153, (short) 5, 1, IRETURN, 5, IRETURN);
        }
    }
}
