// Names that source cannot have: spaces, operators, astral letters; equal names that differ by return type.
import java.lang.reflect.Method;
import java.util.*;

public class Method_names extends Class_writer {
    Method_names() { super(52, 0, "x", null); }

    public static void main(String[] args) throws Throwable {
        Class_writer w = plain("odd/a b+c");
        String[] names = {"a b", "+", "\u00e9\u4e2d", "\ud83d\ude00", "x\u0000y", "class", "1", "\u200b"};
        for (int i = 0; i < names.length; i++) w.addMethod(PUBLIC | STATIC, names[i], "()I", 1, 0, 16, i, IRETURN);
        w.addMethod(PUBLIC | STATIC, "same", "()I", 1, 0, 4, IRETURN).addMethod(PUBLIC | STATIC, "same", "()Ljava/lang/String;", 1, 0, 18, (int) w.string("s\u0000\ud83d\ude00"), ARETURN)
            .addMethod(PUBLIC | STATIC, "same", "()Ljava/lang/Object;", 1, 0, 1, ARETURN);
        w.addField(PUBLIC | STATIC, "f", "I").addField(PUBLIC | STATIC, "f", "J").addField(PUBLIC | STATIC, "f", "[[Lodd/a b+c;");
        Class<?> c = new Loader(w).loadClass("odd.a b+c");
        System.out.println(c + " " + c.getSimpleName() + " " + c.getPackageName());
        for (int i = 0; i < names.length; i++) System.out.println(names[i].replace('\u0000', '0') + " " + c.getMethod(names[i]).invoke(null));
        List<String> all = new ArrayList<>();
        for (Method m : c.getMethods()) if (m.getName().equals("same")) all.add(m.getReturnType().getSimpleName() + " " + m.invoke(null));
        Collections.sort(all);
        System.out.println(all.toString().replace('\u0000', '0'));
        // In a separate class: which one the search finds depends on the names that the VM has seen before.
        Class_writer alone = plain("Alone").addMethod(PUBLIC | STATIC, "same", "()I", 1, 0, 4, IRETURN)
            .addMethod(PUBLIC | STATIC, "same", "()Ljava/lang/Object;", 1, 0, 1, ARETURN);
        System.out.println(new Loader(alone).loadClass("Alone").getMethod("same").getReturnType());
        List<String> fields = new ArrayList<>();
        for (var f : c.getFields()) fields.add(f.getType().getName() + " " + f.getName());
        Collections.sort(fields);
        System.out.println(fields);
        Class_writer caller = plain("Caller");
        caller.addMethod(PUBLIC | STATIC, "f", "()Ljava/lang/String;", 1, 0, INVOKESTATIC, caller.method("odd/a b+c", "same", "()Ljava/lang/String;"), ARETURN);
        System.out.println(((String) call(new Loader(w, caller).loadClass("Caller"), "f")).length());
        show("trace", () -> {
            Class_writer t = plain("tr/T");
            t.attribute("SourceFile", code(t.utf("no such.file")));
            t.addMethod(PUBLIC | STATIC, "a->b", "()V", 1, 0, code(1, 191), new int[0][], t.attributeOf("LineNumberTable", code((short) 1, (short) 0, (short) 65535)));
            try {
                return call(new Loader(t).loadClass("tr.T"), "a->b");
            } catch (java.lang.reflect.InvocationTargetException e) {
                return e.getCause().getStackTrace()[0];
            }
        });
    }
}
