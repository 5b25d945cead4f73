// Array creation from bytecode: all kinds, negative sizes, many dimensions, missing classes, mismatched stores.
public class Array_classes extends Class_writer {
    Array_classes() { super(52, 0, "x", null); }

    static void t(String what, Object... code) {
        show(what, () -> {
            Class_writer w = plain("A");
            Object[] real = code.clone();
            for (int i = 0; i < real.length; i++) if (real[i] instanceof String s) real[i] = w.cls(s);
            w.addMethod(PUBLIC | STATIC, "f", "()Ljava/lang/Object;", 6, 2, real);
            Object o = call(new Loader(w).loadClass("A"), "f");
            return o.getClass().getName() + " " + java.lang.reflect.Array.getLength(o);
        });
    }

    public static void main(String[] args) {
        for (int kind = 4; kind <= 11; kind++) t("newarray " + kind, 6, 188, kind, ARETURN);
        t("negative", 2, 188, 10, ARETURN);
        t("very negative", 17, (short) -32768, 188, 10, ARETURN);
        t("strings", 6, 189, "java/lang/String", ARETURN);
        t("arrays", 6, 189, "[I", ARETURN);
        t("absent", 6, 189, "Nowhere", ARETURN);
        t("absent empty", 3, 189, "Nowhere", ARETURN);
        t("hidden by module", 3, 189, "sun/security/provider/Sun", ARETURN);
        t("not public", 3, 189, "java/util/HashMap$Node", ARETURN);
        t("negative strings", 2, 189, "java/lang/String", ARETURN);
        t("254 dimensions", 3, 189, "[".repeat(254) + "I", ARETURN);
        t("multi", 5, 6, 197, "[[I", 2, ARETURN);
        t("multi of three, two given", 5, 6, 197, "[[[Ljava/lang/String;", 2, ARETURN);
        t("multi first negative", 2, 6, 197, "[[I", 2, ARETURN);
        t("multi second negative", 5, 2, 197, "[[I", 2, ARETURN);
        t("multi second negative of none", 3, 2, 197, "[[I", 2, ARETURN);
        t("multi absent", 3, 3, 197, "[[LNowhere;", 2, ARETURN);
        t("store null", 4, 189, "java/lang/String", DUP, 3, 1, 83, ARETURN);
        t("store wrong", 4, 189, "java/lang/String", DUP, 3, 4, 188, 10, 83, ARETURN);
        t("store array in objects", 4, 189, "java/lang/Object", DUP, 3, 4, 188, 10, 83, ARETURN);
        t("store wrong array", 4, 189, "[J", DUP, 3, 4, 188, 10, 83, ARETURN);
        t("store outside", 4, 189, "java/lang/String", DUP, 4, 1, 83, ARETURN);
        t("store wrong outside", 4, 189, "java/lang/String", DUP, 4, 4, 188, 10, 83, ARETURN);
        t("cast good", 4, 189, "java/lang/String", 192, "[Ljava/lang/Object;", ARETURN);
        t("cast bad", 4, 189, "java/lang/String", 192, "[Ljava/lang/Integer;", ARETURN);
        t("cast to int array", 4, 189, "java/lang/String", 192, "[I", ARETURN);
        t("cast to interface", 4, 189, "java/lang/String", 192, "java/io/Serializable", ARETURN);
        t("cast to absent", 4, 189, "java/lang/String", 192, "Nowhere", ARETURN);
        t("null cast to absent", 1, 192, "Nowhere", 87, 4, 188, 10, ARETURN);
    }
}
