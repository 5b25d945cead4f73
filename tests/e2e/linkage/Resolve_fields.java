// Unresolvable field references: missing, static against instance, private, final written from outside.
public class Resolve_fields extends Class_writer {
    Resolve_fields() { super(52, 0, "x", null); }

    static Class_writer target() {
        Class_writer t = plain("T");
        t.addConstructor().addField(PUBLIC | STATIC, "stat", "I").addField(PUBLIC, "inst", "I").addField(PRIVATE | STATIC, "priv", "I")
            .addField(PUBLIC | STATIC | FINAL, "fin", "I").addField(PUBLIC | FINAL, "ifin", "I").addField(PROTECTED | STATIC, "prot", "I").addField(STATIC, "pack", "I");
        return t;
    }

    static Class_writer get(String name, int opcode, String owner, String field, String type) {
        Class_writer w = plain(name);
        boolean isStatic = opcode == GETSTATIC;
        if (isStatic) w.addMethod(PUBLIC | STATIC, "f", "()V", 4, 0, GETSTATIC, w.field(owner, field, type), 87, RETURN);
        else w.addMethod(PUBLIC | STATIC, "f", "()V", 4, 0, NEW, w.cls("T"), DUP, INVOKESPECIAL, w.method("T", "<init>", "()V"), GETFIELD, w.field(owner, field, type), 87, RETURN);
        return w;
    }

    static Class_writer put(String name, boolean isStatic, String owner, String field) {
        Class_writer w = plain(name);
        if (isStatic) w.addMethod(PUBLIC | STATIC, "f", "()V", 4, 0, 4, PUTSTATIC, w.field(owner, field, "I"), RETURN);
        else w.addMethod(PUBLIC | STATIC, "f", "()V", 4, 0, NEW, w.cls("T"), DUP, INVOKESPECIAL, w.method("T", "<init>", "()V"), 4, PUTFIELD, w.field(owner, field, "I"), RETURN);
        return w;
    }

    static void t(String what, Class_writer w) {
        show(what, () -> {
            Loader l = new Loader(target(), w);
            call(l.loadClass(w.name), "f");
            return "fine";
        });
    }

    public static void main(String[] args) {
        t("static", get("A", GETSTATIC, "T", "stat", "I"));
        t("instance", get("A", GETFIELD, "T", "inst", "I"));
        t("missing static", get("A", GETSTATIC, "T", "none", "I"));
        t("missing instance", get("A", GETFIELD, "T", "none", "I"));
        t("other type", get("A", GETSTATIC, "T", "stat", "J".replace("J", "Ljava/lang/String;")));
        t("static as instance", get("A", GETFIELD, "T", "stat", "I"));
        t("instance as static", get("A", GETSTATIC, "T", "inst", "I"));
        t("private", get("A", GETSTATIC, "T", "priv", "I"));
        t("protected same package", get("A", GETSTATIC, "T", "prot", "I"));
        t("protected other package", get("q/A", GETSTATIC, "T", "prot", "I"));
        t("package", get("A", GETSTATIC, "T", "pack", "I"));
        t("other package", get("q/A", GETSTATIC, "T", "pack", "I"));
        t("put static", put("A", true, "T", "stat"));
        t("put final", put("A", true, "T", "fin"));
        t("put instance final", put("A", false, "T", "ifin"));
        t("put static through instance", put("A", false, "T", "stat"));
        t("put missing", put("A", true, "T", "none"));
        t("no owner", get("A", GETSTATIC, "Absent", "x", "I"));
        t("array length as field", get("A", GETSTATIC, "[I", "length", "I"));
        t("inherited constant", get("A", GETSTATIC, "java/util/zip/ZipInputStream", "LOCSIG", "J".equals("I") ? "" : "I"));
    }
}
