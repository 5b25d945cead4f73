// Hand-made sealed classes: permitted and other subclasses, other packages, other modules, a sealed interface.
public class Sealed_rules extends Class_writer {
    Sealed_rules() { super(52, 0, "x", null); }

    static Class_writer sealed(String name, boolean iface, String... permitted) {
        Class_writer w = new Class_writer(61, PUBLIC | (iface ? INTERFACE | ABSTRACT : SUPER), name, "java/lang/Object");
        if (!iface) w.addConstructor();
        byte[] list = code((short) permitted.length);
        for (String p : permitted) list = code(list, w.cls(p));
        w.attribute("PermittedSubclasses", list);
        return w;
    }

    static Class_writer sub(String name, String parent, String... interfaces) {
        Class_writer w = new Class_writer(61, PUBLIC | SUPER | FINAL, name, parent, interfaces);
        return w;
    }

    static void t(String what, String load, Class_writer... ws) {
        show(what, () -> { Class<?> c = new Loader(ws).loadClass(load); return c + " " + c.isSealed(); });
    }

    public static void main(String[] args) {
        t("permitted", "s.A", sealed("s/P", false, "s/A"), sub("s/A", "s/P"));
        t("not permitted", "s.B", sealed("s/P", false, "s/A"), sub("s/B", "s/P"));
        t("nothing permitted", "s.B", sealed("s/P", false), sub("s/B", "s/P"));
        t("interface permitted", "s.A", sealed("s/I", true, "s/A"), sub("s/A", "java/lang/Object", "s/I"));
        t("interface not permitted", "s.B", sealed("s/I", true, "s/A"), sub("s/B", "java/lang/Object", "s/I"));
        t("other package public", "o.A", sealed("s/P", false, "o/A"), sub("o/A", "s/P"));
        t("other package not public", "o.A", sealed("s/P", false, "o/A"), new Class_writer(61, SUPER | FINAL, "o/A", "s/P"));
        t("the sealed one", "s.P", sealed("s/P", false, "s/A"));
        Class_writer fin = new Class_writer(61, PUBLIC | SUPER | FINAL, "s/P", "java/lang/Object");
        t("sealed and final", "s.P", fin.attribute("PermittedSubclasses", code((short) 1, fin.cls("s/A"))));
        Class_writer old = new Class_writer(60, PUBLIC | SUPER, "s/P", "java/lang/Object");
        t("older file", "s.A", old.attribute("PermittedSubclasses", code((short) 1, old.cls("s/B"))), new Class_writer(60, PUBLIC | SUPER, "s/A", "s/P"));
        show("listed", () -> {
            Loader l = new Loader(sealed("s/P", false, "s/A", "s/Absent", "s/NotSub", "s/A2"), sub("s/A", "s/P"), sub("s/NotSub", "java/lang/Object"), sub("s/A2", "s/P"));
            StringBuilder b = new StringBuilder();
            for (Class<?> c : l.loadClass("s.P").getPermittedSubclasses()) b.append(c.getName()).append(' ');
            return b;
        });
        show("not sealed", () -> java.util.Arrays.toString(new Loader(sub("s/A", "java/lang/Object")).loadClass("s.A").getPermittedSubclasses()));
    }
}
