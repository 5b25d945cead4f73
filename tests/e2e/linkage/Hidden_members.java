// Hidden classes from hand-made bytes: nestmate access, class data, names, no lookup by name, strong and weak.
import java.lang.invoke.*;

public class Hidden_members extends Class_writer {
    Hidden_members() { super(52, 0, "x", null); }

    private static int secret = 42;
    private static String hidden(int x) { return "hidden " + x; }

    static Class_writer reader() {
        Class_writer w = new Class_writer(61, PUBLIC | SUPER, "Reader_made", "java/lang/Object");
        w.addConstructor();
        w.addMethod(PUBLIC | STATIC, "read", "()I", 1, 0, GETSTATIC, w.field("Hidden_members", "secret", "I"), IRETURN);
        w.addMethod(PUBLIC | STATIC, "call", "()Ljava/lang/String;", 1, 0, 8, INVOKESTATIC, w.method("Hidden_members", "hidden", "(I)Ljava/lang/String;"), ARETURN);
        w.addMethod(PUBLIC | STATIC, "self", "()Ljava/lang/Class;", 1, 0, 18, (int) w.cls("Reader_made"), ARETURN);
        w.addMethod(PUBLIC | STATIC, "make", "()Ljava/lang/Object;", 2, 0, NEW, w.cls("Reader_made"), DUP, INVOKESPECIAL, w.method("Reader_made", "<init>", "()V"), ARETURN);
        w.addMethod(PUBLIC | STATIC, "fail", "()V", 1, 0, 1, 191);
        return w;
    }

    public static void main(String[] args) throws Throwable {
        MethodHandles.Lookup l = MethodHandles.lookup();
        MethodHandles.Lookup mate = l.defineHiddenClass(reader().bytes(), true, MethodHandles.Lookup.ClassOption.NESTMATE), alone = l.defineHiddenClass(reader().bytes(), true);
        Class<?> m = mate.lookupClass(), a = alone.lookupClass();
        for (Class<?> c : new Class<?>[]{m, a}) {
            kind("read", () -> call(c, "read"));
            kind("call", () -> call(c, "call"));
            kind("self", () -> call(c, "self") == c);
            kind("make", () -> call(c, "make").getClass() == c);
            System.out.println(c.isHidden() + " " + c.getName().replaceAll("0x[0-9a-f]+|[0-9a-f]{8,}", "N") + " " + c.getNestHost().getName().replaceAll("0x[0-9a-f]+|[0-9a-f]{8,}", "N") + " " + c.getCanonicalName() + " " + c.isNestmateOf(Hidden_members.class) + " " + c.descriptorString().replaceAll("0x[0-9a-f]+|[0-9a-f]{8,}", "N"));
            kind("by name", () -> Class.forName(c.getName(), false, c.getClassLoader()));
            kind("array", () -> java.lang.reflect.Array.newInstance(c, 2).getClass().getComponentType() == c);
        }
        System.out.println(m == a);
        MethodHandles.Lookup data = l.defineHiddenClassWithClassData(reader().bytes(), java.util.List.of("x", 7), true);
        System.out.println(MethodHandles.classData(data, "_", java.util.List.class) + " " + MethodHandles.classDataAt(data, "_", Integer.class, 1));
        kind("wrong data type", () -> MethodHandles.classData(data, "_", String.class));
        kind("other package", () -> { l.defineHiddenClass(plain("q/X").bytes(), false); return "defined"; });
        kind("interface", () -> l.defineHiddenClass(new Class_writer(61, PUBLIC | INTERFACE | ABSTRACT, "Iface_made", "java/lang/Object").bytes(), false).lookupClass().isInterface());
        kind("no access", () -> MethodHandles.publicLookup().defineHiddenClass(reader().bytes(), false));
        kind("own super", () -> { Class_writer w = new Class_writer(61, PUBLIC | SUPER, "Self_made", "Self_made"); return l.defineHiddenClass(w.bytes(), false); });
        kind("bad bytes", () -> l.defineHiddenClass(new byte[10], false));
        kind("bad code", () -> { Class_writer w = plain("Bad_made"); w.addMethod(PUBLIC | STATIC, "f", "()I", 1, 0, 1, IRETURN); return l.defineHiddenClass(w.bytes(), true); });
        kind("defineClass twice", () -> { l.defineClass(plain("Twice_made").bytes()); return l.defineClass(plain("Twice_made").bytes()); });
        try {
            call(m, "fail");
        } catch (java.lang.reflect.InvocationTargetException e) {
            System.out.println(e.getCause().getStackTrace()[0].getMethodName());
        }
    }
}
