// Hand-made nests: listed and unlisted members, hosts that disagree, missing hosts, private access between members.
public class Nest_access extends Class_writer {
    Nest_access() { super(52, 0, "x", null); }

    static Class_writer host(String... members) {
        Class_writer w = new Class_writer(55, PUBLIC | SUPER, "n/Host", "java/lang/Object");
        w.addConstructor().addField(PRIVATE | STATIC, "secret", "I").addMethod(PRIVATE | STATIC, "hidden", "()I", 1, 0, 16, 42, IRETURN);
        if (members.length > 0) {
            byte[] list = code((short) members.length);
            for (String m : members) list = code(list, w.cls(m));
            w.attribute("NestMembers", list);
        }
        return w;
    }

    static Class_writer member(String name, String host) {
        Class_writer w = new Class_writer(55, PUBLIC | SUPER, name, "java/lang/Object");
        if (host != null) w.attribute("NestHost", code(w.cls(host)));
        w.addMethod(PUBLIC | STATIC, "call", "()I", 1, 0, INVOKESTATIC, w.method("n/Host", "hidden", "()I"), IRETURN);
        w.addMethod(PUBLIC | STATIC, "read", "()I", 1, 0, GETSTATIC, w.field("n/Host", "secret", "I"), IRETURN);
        return w;
    }

    static void message(String what, String of, Class_writer... ws) {
        Loader l = new Loader(ws);
        for (String member : new String[] {"call", "read"})
            for (int twice = 0; twice < 2; twice++) {
                try {
                    System.out.println(what + " " + member + " " + call(l.loadClass(of), member));
                } catch (Throwable t) {
                    Throwable cause = t instanceof java.lang.reflect.InvocationTargetException ? t.getCause() : t;
                    System.out.println(what + " " + member + " " + String.valueOf(cause).replaceAll("@[0-9a-f]+", "@N"));
                }
            }
    }

    static void t(String what, String of, Class_writer... ws) {
        Loader l = new Loader(ws);
        kind(what + " call", () -> call(l.loadClass(of), "call"));
        kind(what + " read", () -> call(l.loadClass(of), "read"));
        kind(what + " host", () -> l.loadClass(of).getNestHost().getName());
        kind(what + " members", () -> { StringBuilder b = new StringBuilder(); for (Class<?> c : l.loadClass(of).getNestMembers()) b.append(c.getName()).append(' '); return b; });
        kind(what + " mates", () -> l.loadClass(of).isNestmateOf(l.loadClass("n.Host")) + " " + l.loadClass("n.Host").isNestmateOf(l.loadClass(of)));
    }

    public static void main(String[] args) {
        t("agreed", "n.M", host("n/M"), member("n/M", "n/Host"));
        t("not listed", "n.M", host("n/Other"), member("n/M", "n/Host"));
        t("no list", "n.M", host(), member("n/M", "n/Host"));
        t("not claimed", "n.M", host("n/M"), member("n/M", null));
        t("other package", "o.M", host("o/M"), member("o/M", "n/Host"));
        t("missing host", "n.M", host("n/M"), member("n/M", "n/Absent"));
        t("through another", "n.M", host("n/M"), member("n/M", "n/Mid"), member("n/Mid", "n/Host"));
        message("agreed", "n.M", host("n/M"), member("n/M", "n/Host"));
        message("not listed", "n.M", host("n/Other"), member("n/M", "n/Host"));
        message("no list", "n.M", host(), member("n/M", "n/Host"));
        message("not claimed", "n.M", host("n/M"), member("n/M", null));
        message("other package", "o.M", host("o/M"), member("o/M", "n/Host"));
        message("missing host", "n.M", host("n/M"), member("n/M", "n/Absent"));
        message("through another", "n.M", host("n/M"), member("n/M", "n/Mid"), member("n/Mid", "n/Host"));
        Class_writer both = host("n/M");
        both.attribute("NestHost", code(both.cls("n/Elsewhere")));
        message("both", "n.M", both, member("n/M", "n/Host"), host("n/Other"));
        kind("itself", () -> new Loader(host()).loadClass("n.Host").getNestHost().getName());
        System.out.println(int.class.getNestHost() + " " + int[].class.getNestHost() + " " + Loader.class.getNestHost() + " " + new Object() { }.getClass().getNestHost());
    }
}
