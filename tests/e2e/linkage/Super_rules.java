// Illegal superclasses and interfaces: the class itself, final ones, interfaces, classes as interfaces, missing ones.
public class Super_rules extends Class_writer {
    Super_rules() { super(52, 0, "x", null); }

    static void t(String what, String load, Class_writer... ws) {
        show(what, () -> { Class<?> c = Class.forName(load, true, new Loader(ws)); return c.getName() + " extends " + c.getSuperclass(); });
    }

    static Class_writer c(String name, String parent, String... interfaces) { return new Class_writer(52, PUBLIC | SUPER, name, parent, interfaces); }
    static Class_writer i(String name, String... interfaces) { return new Class_writer(52, PUBLIC | INTERFACE | ABSTRACT, name, "java/lang/Object", interfaces); }

    public static void main(String[] args) {
        t("plain", "A", c("A", "java/lang/Object"));
        t("itself", "A", c("A", "A"));
        t("circle of two", "A", c("A", "B"), c("B", "A"));
        t("circle of three", "B", c("A", "B"), c("B", "C"), c("C", "A"));
        t("interface circle", "I", i("I", "J"), i("J", "I"));
        t("interface itself", "I", i("I", "I"));
        t("mixed circle", "A", c("A", "java/lang/Object", "I"), i("I", "A"));
        t("final parent", "A", c("A", "java/lang/String"));
        t("final own parent", "A", c("A", "F"), new Class_writer(52, PUBLIC | SUPER | FINAL, "F", "java/lang/Object"));
        t("interface as parent", "A", c("A", "java/lang/Runnable"));
        t("class as interface", "A", c("A", "java/lang/Object", "java/lang/Number"));
        t("same interface twice", "A", c("A", "java/lang/Object", "java/lang/Runnable", "java/lang/Runnable"));
        t("absent parent", "A", c("A", "Nowhere"));
        t("absent interface", "A", c("A", "java/lang/Object", "Nowhere"));
        t("no parent", "A", c("A", null));
        t("array parent", "A", c("A", "[I"));
        t("interface with parent", "I", new Class_writer(52, PUBLIC | INTERFACE | ABSTRACT, "I", "java/lang/Number"));
        t("enum parent", "A", c("A", "java/lang/Enum"));
        t("record parent", "A", c("A", "java/lang/Record"));
        t("private parent", "A", c("A", "java/util/HashMap$Node"));
        t("parent of other package", "q.A", c("q/A", "p/P"), new Class_writer(52, SUPER, "p/P", "java/lang/Object"));
        t("interface of other package", "q.A", c("q/A", "java/lang/Object", "p/P"), new Class_writer(52, INTERFACE | ABSTRACT, "p/P", "java/lang/Object"));
        t("unexported parent", "A", c("A", "sun/security/provider/Sun"));
        Class_writer over = c("A", "P"), base = c("P", "java/lang/Object");
        base.addMethod(PUBLIC | FINAL, "f", "()V", 0, 1, RETURN);
        over.addMethod(PUBLIC, "f", "()V", 0, 1, RETURN);
        t("final method overridden", "A", over, base);
        Class_writer hide = c("A", "P2"), base2 = c("P2", "java/lang/Object");
        base2.addMethod(PUBLIC | STATIC | FINAL, "f", "()V", 0, 0, RETURN);
        hide.addMethod(PUBLIC | STATIC, "f", "()V", 0, 0, RETURN);
        t("final static hidden", "A", hide, base2);
        Class_writer priv = c("A", "P3"), base3 = c("P3", "java/lang/Object");
        base3.addMethod(PRIVATE | FINAL, "f", "()V", 0, 1, RETURN);
        priv.addMethod(PUBLIC, "f", "()V", 0, 1, RETURN);
        t("final private not overridden", "A", priv, base3);
    }
}
