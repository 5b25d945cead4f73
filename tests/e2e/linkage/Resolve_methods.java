// Unresolvable method references: missing, wrong kind of call, abstract, private, interface against class.
public class Resolve_methods extends Class_writer {
    Resolve_methods() { super(52, 0, "x", null); }

    static Loader world() {
        Class_writer t = plain("T");
        t.addConstructor().addMethod(PUBLIC | STATIC, "stat", "()V", 0, 0, RETURN).addMethod(PUBLIC, "inst", "()V", 0, 1, RETURN)
            .addMethod(PRIVATE, "priv", "()V", 0, 1, RETURN).addMethod(PROTECTED, "prot", "()V", 0, 1, RETURN).addMethod(0, "pack", "()V", 0, 1, RETURN);
        Class_writer i = new Class_writer(52, PUBLIC | INTERFACE | ABSTRACT, "I", "java/lang/Object");
        i.addAbstract(PUBLIC | ABSTRACT, "abs", "()V").addMethod(PUBLIC, "dflt", "()V", 0, 1, RETURN).addMethod(PUBLIC | STATIC, "stat", "()V", 0, 0, RETURN);
        Class_writer k = new Class_writer(52, PUBLIC | SUPER, "K", "java/lang/Object", "I");
        k.addConstructor();
        Class_writer ab = new Class_writer(52, PUBLIC | SUPER | ABSTRACT, "AB", "java/lang/Object");
        ab.addConstructor().addAbstract(PUBLIC | ABSTRACT, "abs", "()V");
        Class_writer con = new Class_writer(52, PUBLIC | SUPER, "CON", "AB");
        con.addConstructor("AB");
        return new Loader(t, i, k, ab, con);
    }

    /** opcode on owner.method, with a fresh instance of "of" as receiver unless the call is static. */
    static void t(String what, int opcode, boolean iface, String owner, String method, String of) {
        t(what, opcode, iface, owner, method, of, "A");
    }

    static void t(String what, int opcode, boolean iface, String owner, String method, String of, String name) {
        show(what, () -> {
            Class_writer w = plain(name);
            short ref = iface ? w.imethod(owner, method, "()V") : w.method(owner, method, "()V");
            byte[] receiver = of == null ? new byte[0] : code(NEW, w.cls(of), DUP, INVOKESPECIAL, w.method(of, "<init>", "()V"));
            byte[] call = opcode == INVOKEINTERFACE ? code(opcode, ref, 1, 0) : code(opcode, ref);
            w.addMethod(PUBLIC | STATIC, "f", "()V", 4, 0, code(receiver, call, RETURN), new int[0][]);
            call(world().add(w).loadClass(name.replace('/', '.')), "f");
            return "fine";
        });
    }

    public static void main(String[] args) {
        t("static", INVOKESTATIC, false, "T", "stat", null);
        t("virtual", INVOKEVIRTUAL, false, "T", "inst", "T");
        t("missing static", INVOKESTATIC, false, "T", "none", null);
        t("missing virtual", INVOKEVIRTUAL, false, "T", "none", "T");
        t("missing interface", INVOKEINTERFACE, true, "I", "none", "K");
        t("static by virtual", INVOKEVIRTUAL, false, "T", "stat", "T");
        t("instance by static", INVOKESTATIC, false, "T", "inst", null);
        t("private", INVOKEVIRTUAL, false, "T", "priv", "T");
        t("package", INVOKEVIRTUAL, false, "T", "pack", "T");
        t("package from outside", INVOKEVIRTUAL, false, "T", "pack", "T", "q/A");
        t("class method on interface", INVOKEVIRTUAL, false, "I", "abs", "K");
        t("interface method on class", INVOKEINTERFACE, true, "T", "inst", "T");
        t("abstract through interface", INVOKEINTERFACE, true, "I", "abs", "K");
        t("default through interface", INVOKEINTERFACE, true, "I", "dflt", "K");
        t("default through class", INVOKEVIRTUAL, false, "K", "dflt", "K");
        t("not implemented at all", INVOKEINTERFACE, true, "I", "abs", "T");
        t("abstract in class", INVOKEVIRTUAL, false, "AB", "abs", "CON");
        t("abstract through subclass", INVOKEVIRTUAL, false, "CON", "abs", "CON");
        t("static of interface", INVOKESTATIC, true, "I", "stat", null);
        t("static of interface as class", INVOKESTATIC, false, "I", "stat", null);
        t("static interface method through class", INVOKESTATIC, false, "K", "stat", null);
        t("abstract instantiated", INVOKEVIRTUAL, false, "AB", "abs", "AB");
        t("interface instantiated", INVOKEINTERFACE, true, "I", "dflt", "I");
        t("owner absent", INVOKESTATIC, false, "Absent", "x", null);
        t("object through interface", INVOKEINTERFACE, true, "I", "hashCode", "K");
        t("on array", INVOKESTATIC, false, "[I", "stat", null);
    }
}
