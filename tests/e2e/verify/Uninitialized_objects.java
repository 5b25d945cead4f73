// Uninitialised objects: used, stored, compared, live across a backedge, returned; constructors without super().
public class Uninitialized_objects extends Class_writer {
    Uninitialized_objects() { super(52, 0, "x", null); }

    interface Make { Class_writer with(Class_writer w); }

    static void t(String what, Make m) {
        for (int version : new int[]{49, 52}) {
            kind(what + " " + version, () -> {
                Class_writer w = m.with(new Class_writer(version, PUBLIC | SUPER, "U", "java/lang/Object").addField(0, "n", "I").addField(0, "o", "Ljava/lang/Object;"));
                Class<?> c = Class.forName("U", true, new Loader(w));
                return "accepted";
            });
        }
    }

    static void body(String what, String type, Object... code) {
        t(what, w -> {
            Object[] real = code.clone();
            for (int i = 0; i < real.length; i++) if (real[i] instanceof String s) real[i] = s.equals("Object") ? w.cls("java/lang/Object") : s.equals("init") ? w.method("java/lang/Object", "<init>", "()V") : s.equals("hash") ? w.method("java/lang/Object", "hashCode", "()I") : w.cls(s);
            return w.addMethod(PUBLIC | STATIC, "f", type, 4, 4, real);
        });
    }

    static void init(String what, String type, int locals, Object... code) {
        t(what, w -> {
            Object[] real = code.clone();
            for (int i = 0; i < real.length; i++) {
                if (real[i] instanceof String s) real[i] = switch (s) {
                    case "super" -> w.method("java/lang/Object", "<init>", "()V");
                    case "this" -> w.method("U", "<init>", "()V");
                    case "n" -> w.field("U", "n", "I");
                    case "o" -> w.field("U", "o", "Ljava/lang/Object;");
                    default -> w.method("java/lang/Object", s, "()I");
                };
            }
            return w.addMethod(PUBLIC, "<init>", type, 4, locals, real);
        });
    }

    public static void main(String[] args) {
        body("proper", "()Ljava/lang/Object;", NEW, "Object", DUP, INVOKESPECIAL, "init", ARETURN);
        body("never initialised", "()V", NEW, "Object", 87, RETURN);
        body("returned raw", "()Ljava/lang/Object;", NEW, "Object", ARETURN);
        body("called raw", "()I", NEW, "Object", INVOKEVIRTUAL, "hash", IRETURN);
        body("initialised twice", "()V", NEW, "Object", DUP, DUP, INVOKESPECIAL, "init", INVOKESPECIAL, "init", RETURN);
        body("stored raw, used later", "()Ljava/lang/Object;", NEW, "Object", DUP, 75, INVOKESPECIAL, "init", 42, ARETURN);
        body("init of null", "()V", 1, INVOKESPECIAL, "init", RETURN);
        body("init of int", "()V", 4, INVOKESPECIAL, "init", RETURN);
        body("init of other class", "()V", NEW, "java/lang/String", INVOKESPECIAL, "init", RETURN);
        body("cast raw", "()V", NEW, "Object", 192, "Object", 87, RETURN);
        body("compared raw", "()V", NEW, "Object", 199, (short) 3, RETURN);
        body("monitor of raw", "()V", NEW, "Object", 194, RETURN);
        body("thrown raw", "()V", NEW, "java/lang/Error", 191);
        body("new of array", "()V", NEW, "[I", 87, RETURN);
        init("good", "()V", 1, ALOAD_0, INVOKESPECIAL, "super", RETURN);
        init("no super", "()V", 1, RETURN);
        init("super twice", "()V", 1, ALOAD_0, INVOKESPECIAL, "super", ALOAD_0, INVOKESPECIAL, "super", RETURN);
        init("this", "(I)V", 2, ALOAD_0, INVOKESPECIAL, "this", RETURN);
        init("field before", "()V", 1, ALOAD_0, 4, PUTFIELD, "n", ALOAD_0, INVOKESPECIAL, "super", RETURN);
        init("field read before", "()V", 1, ALOAD_0, GETFIELD, "n", 87, ALOAD_0, INVOKESPECIAL, "super", RETURN);
        init("itself into field before", "()V", 1, ALOAD_0, ALOAD_0, PUTFIELD, "o", ALOAD_0, INVOKESPECIAL, "super", RETURN);
        init("method before", "()V", 1, ALOAD_0, INVOKEVIRTUAL, "hashCode", 87, ALOAD_0, INVOKESPECIAL, "super", RETURN);
        init("overwritten", "()V", 1, 1, 75, RETURN);
        init("copied", "()V", 2, ALOAD_0, 76, ALOAD_0, INVOKESPECIAL, "super", 43, 87, RETURN);
        init("throws instead", "()V", 1, 1, 191);
        init("returns this", "()V", 1, ALOAD_0, INVOKESPECIAL, "super", ALOAD_0, ARETURN);
    }
}
