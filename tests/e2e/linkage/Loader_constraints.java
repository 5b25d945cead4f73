// Loader constraints: one name denotes different classes on the two sides of a call, a field, an override.
public class Loader_constraints extends Class_writer {
    Loader_constraints() { super(52, 0, "x", null); }

    /** Loads the classes in "own" itself; delegates other unknown names to the other loader. */
    static class Split extends Loader {
        final java.util.Set<String> own;
        Split(ClassLoader parent, String own, Class_writer... ws) { super(parent, ws); this.own = java.util.Set.of(own.split(",")); }
        @Override protected Class<?> loadClass(String n, boolean resolve) throws ClassNotFoundException {
            synchronized (getClassLoadingLock(n)) {
                Class<?> c = findLoadedClass(n);
                return c != null ? c : own.contains(n) ? findClass(n) : super.loadClass(n, resolve);
            }
        }
    }

    static Class_writer arg() { Class_writer w = plain("Arg"); w.addConstructor(); return w; }

    static Class_writer server() {
        Class_writer w = plain("Server");
        w.addConstructor().addField(PUBLIC | STATIC, "shared", "LArg;").addMethod(PUBLIC | STATIC, "take", "(LArg;)V", 0, 1, RETURN)
            .addMethod(PUBLIC | STATIC, "give", "()LArg;", 1, 0, 1, ARETURN).addMethod(PUBLIC, "over", "(LArg;)V", 0, 2, RETURN);
        return w;
    }

    static void t(String what, boolean touched, Class_writer client, String own) {
        show(what, () -> {
            Loader parent = new Loader(arg(), server());
            if (touched) parent.loadClass("Arg");
            Split child = new Split(parent, own, client, arg());
            Class<?> c = Class.forName(client.name, true, child);
            call(c, "go");
            return "fine";
        });
    }

    static Class_writer client(Object... code) { return plain("Client").addMethod(PUBLIC | STATIC, "go", "()V", 3, 1, code); }

    public static void main(String[] args) {
        Class_writer w = plain("Client");
        w.addMethod(PUBLIC | STATIC, "go", "()V", 3, 1, NEW, w.cls("Arg"), DUP, INVOKESPECIAL, w.method("Arg", "<init>", "()V"), INVOKESTATIC, w.method("Server", "take", "(LArg;)V"), RETURN);
        t("argument, same class", true, w, "Client");
        kind("argument, two classes", () -> { t("", true, w, "Client,Arg"); return ""; });
        Class_writer g = plain("Client");
        g.addMethod(PUBLIC | STATIC, "go", "()V", 3, 1, INVOKESTATIC, g.method("Server", "give", "()LArg;"), 87, RETURN);
        t("result, same class", true, g, "Client");
        t("result, none loaded", false, g, "Client,Arg");
        Class_writer f = plain("Client");
        f.addMethod(PUBLIC | STATIC, "go", "()V", 3, 1, GETSTATIC, f.field("Server", "shared", "LArg;"), 87, RETURN);
        t("field, same class", true, f, "Client");
        t("field, none loaded", false, f, "Client,Arg");
        // an override whose parameter type is another class
        for (String own : new String[]{"Client", "Client,Arg"}) {
            kind("override with " + own, () -> {
                Class_writer o = new Class_writer(52, PUBLIC | SUPER, "Client", "Server");
                o.addConstructor("Server").addMethod(PUBLIC, "over", "(LArg;)V", 0, 2, RETURN).addMethod(PUBLIC | STATIC, "go", "()V", 0, 0, RETURN);
                Loader parent = new Loader(arg(), server());
                Split child = new Split(parent, own, o, arg());
                parent.loadClass("Arg");
                child.loadClass("Arg");
                call(Class.forName("Client", true, child), "go");
                return "fine";
            });
        }
        // both sides have loaded their classes before they meet
        for (int round = 0; round < 3; round++) {
            Class_writer user = round == 0 ? w : round == 1 ? g : f;
            kind("both loaded " + round, () -> {
                Loader parent = new Loader(arg(), server());
                Split child = new Split(parent, "Client,Arg", user, arg());
                parent.loadClass("Arg");
                child.loadClass("Arg");
                call(Class.forName("Client", true, child), "go");
                return "fine";
            });
        }
        // an earlier constraint rejects a different class later
        kind("constraint before class", () -> {
            Loader parent = new Loader(arg(), server());
            Split child = new Split(parent, "Client,Arg", g, arg());
            call(Class.forName("Client", true, child), "go");
            parent.loadClass("Arg");
            child.loadClass("Arg");
            return "fine";
        });
        // duplicate definition in one loader
        kind("defined twice", () -> { Loader l = new Loader(); l.define(arg().bytes()); return l.define(arg().bytes()); });
    }
}
