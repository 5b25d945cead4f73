// invokespecial with and without ACC_SUPER, calls that skip a generation, package-private overrides across loaders.
public class Super_flag extends Class_writer {
    Super_flag() { super(52, 0, "x", null); }

    static Class_writer level(String name, String parent, int value) {
        Class_writer w = new Class_writer(49, PUBLIC | SUPER, name, parent);
        w.addConstructor(parent);
        if (value > 0) w.addMethod(PUBLIC, "f", "()I", 1, 1, 16, value, IRETURN);
        return w;
    }

    public static void main(String[] args) {
        for (int flags : new int[]{PUBLIC, PUBLIC | SUPER}) {
            for (int middle : new int[]{0, 2}) {
                show("super call, flags " + flags + " middle " + middle, () -> {
                    Class_writer d = new Class_writer(49, flags, "D", "C");
                    d.addConstructor("C").addMethod(PUBLIC, "f", "()I", 1, 1, 7, IRETURN);
                    d.addMethod(PUBLIC, "up", "()I", 1, 1, ALOAD_0, INVOKESPECIAL, d.method("B", "f", "()I"), IRETURN);
                    Loader l = new Loader(level("B", "java/lang/Object", 1), level("C", "B", middle), d);
                    Class<?> c = l.loadClass("D");
                    return c.getMethod("up").invoke(c.getConstructor().newInstance());
                });
            }
        }
        show("abstract super", () -> {
            Class_writer a = new Class_writer(49, PUBLIC | SUPER | ABSTRACT, "A", "java/lang/Object");
            a.addConstructor().addAbstract(PUBLIC | ABSTRACT, "f", "()I");
            Class_writer d = level("D", "A", 3);
            d.addMethod(PUBLIC, "up", "()I", 1, 1, ALOAD_0, INVOKESPECIAL, d.method("A", "f", "()I"), IRETURN);
            Class<?> c = new Loader(a, d).loadClass("D");
            return c.getMethod("up").invoke(c.getConstructor().newInstance());
        });
        // package-private f of p.A is overridden by p.B but not by q.B
        for (String other : new String[]{"p/B", "q/B"}) {
            show("package-private " + other, () -> {
                Class_writer a = new Class_writer(49, PUBLIC | SUPER, "p/A", "java/lang/Object");
                a.addConstructor().addMethod(0, "f", "()I", 1, 1, 4, IRETURN).addMethod(PUBLIC, "g", "()I", 1, 1, ALOAD_0, INVOKEVIRTUAL, a.method("p/A", "f", "()I"), IRETURN);
                Class_writer b = new Class_writer(49, PUBLIC | SUPER, other, "p/A");
                b.addConstructor("p/A").addMethod(PUBLIC, "f", "()I", 1, 1, 5, IRETURN);
                Class_writer z = new Class_writer(49, PUBLIC | SUPER, "p/Z", other);
                z.addConstructor(other).addMethod(PUBLIC, "f", "()I", 1, 1, 6, IRETURN);
                Loader l = new Loader(a, b, z);
                Object ob = l.loadClass(other.replace('/', '.')).getConstructor().newInstance(), oz = l.loadClass("p.Z").getConstructor().newInstance();
                return ob.getClass().getMethod("g").invoke(ob) + " " + oz.getClass().getMethod("g").invoke(oz) + " " + ob.getClass().getMethod("f").invoke(ob);
            });
        }
        // the same package name in another loader is another package
        show("other loader", () -> {
            Class_writer a = new Class_writer(49, PUBLIC | SUPER, "p/A", "java/lang/Object");
            a.addConstructor().addMethod(0, "f", "()I", 1, 1, 4, IRETURN).addMethod(PUBLIC, "g", "()I", 1, 1, ALOAD_0, INVOKEVIRTUAL, a.method("p/A", "f", "()I"), IRETURN);
            Class_writer b = new Class_writer(49, PUBLIC | SUPER, "p/B", "p/A");
            b.addConstructor("p/A").addMethod(0, "f", "()I", 1, 1, 5, IRETURN).addMethod(PUBLIC, "h", "()I", 1, 1, ALOAD_0, INVOKEVIRTUAL, b.method("p/A", "f", "()I"), IRETURN);
            Loader low = new Loader(a), high = new Loader(low, b);
            Object o = high.loadClass("p.B").getConstructor().newInstance();
            System.out.println("g " + o.getClass().getMethod("g").invoke(o));
            return o.getClass().getMethod("h").invoke(o);
        });
    }
}
