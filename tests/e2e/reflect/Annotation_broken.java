// Annotations whose classes changed after compilation: missing members, enum constants and classes, changed types.
import java.lang.annotation.*;
import java.util.*;

public class Annotation_broken extends Class_writer {
    Annotation_broken() { super(52, 0, "x", null); }

    public enum Color { RED, BLUE }
    @Retention(RetentionPolicy.RUNTIME) public @interface A { int n(); Color c() default Color.RED; Class<?> k() default Object.class; String s() default "d"; int[] many() default {}; }

    static byte[] pair(Class_writer w, String name, int tag, Object... value) { return code(w.utf(name), tag, code(value)); }

    static void t(String what, java.util.function.Function<Class_writer, byte[][]> pairs) {
        Class_writer w = plain("Target");
        byte[][] ps = pairs.apply(w);
        byte[] all = code((short) 1, w.utf("LAnnotation_broken$A;"), (short) ps.length);
        for (byte[] p : ps) all = code(all, p);
        w.attribute("RuntimeVisibleAnnotations", all);
        show(what, () -> {
            A a = new Loader(w).loadClass("Target").getAnnotation(A.class);
            if (a == null) return "none";
            StringBuilder b = new StringBuilder();
            for (String m : new String[]{"n", "c", "k", "s", "many"}) {
                try { Object o = A.class.getMethod(m).invoke(a); b.append(o instanceof int[] x ? Arrays.toString(x) : o).append(' '); }
                catch (java.lang.reflect.InvocationTargetException e) { b.append('[').append(e.getCause().toString().replaceAll("@[0-9a-f]+", "@")).append("] "); }
            }
            return b;
        });
    }

    public static void main(String[] args) {
        t("good", w -> new byte[][]{pair(w, "n", 'I', w.integer(4))});
        t("missing member", w -> new byte[][]{});
        t("unknown member", w -> new byte[][]{pair(w, "n", 'I', w.integer(4)), pair(w, "zz", 'I', w.integer(4))});
        t("unknown constant", w -> new byte[][]{pair(w, "n", 'I', w.integer(4)), pair(w, "c", 'e', w.utf("LAnnotation_broken$Color;"), w.utf("GREEN"))});
        t("known constant", w -> new byte[][]{pair(w, "n", 'I', w.integer(4)), pair(w, "c", 'e', w.utf("LAnnotation_broken$Color;"), w.utf("BLUE"))});
        t("absent enum", w -> new byte[][]{pair(w, "n", 'I', w.integer(4)), pair(w, "c", 'e', w.utf("LNowhere;"), w.utf("X"))});
        t("absent class", w -> new byte[][]{pair(w, "n", 'I', w.integer(4)), pair(w, "k", 'c', w.utf("LNowhere;"))});
        t("primitive class", w -> new byte[][]{pair(w, "n", 'I', w.integer(4)), pair(w, "k", 'c', w.utf("V"))});
        t("array class", w -> new byte[][]{pair(w, "n", 'I', w.integer(4)), pair(w, "k", 'c', w.utf("[[I"))});
        t("string for int", w -> new byte[][]{pair(w, "n", 's', w.utf("text"))});
        t("int for string", w -> new byte[][]{pair(w, "n", 'I', w.integer(4)), pair(w, "s", 'I', w.integer(5))});
        t("one for array", w -> new byte[][]{pair(w, "n", 'I', w.integer(4)), pair(w, "many", 'I', w.integer(5))});
        t("array", w -> new byte[][]{pair(w, "n", 'I', w.integer(4)), pair(w, "many", '[', (short) 2, (int) 'I', w.integer(5), (int) 'I', w.integer(6))});
        t("empty array", w -> new byte[][]{pair(w, "n", 'I', w.integer(4)), pair(w, "many", '[', (short) 0)});
        t("twice", w -> new byte[][]{pair(w, "n", 'I', w.integer(4)), pair(w, "n", 'I', w.integer(5))});
        show("absent annotation", () -> {
            Class_writer w = plain("Target");
            w.attribute("RuntimeVisibleAnnotations", code((short) 2, w.utf("LNowhere;"), (short) 0, w.utf("Ljava/lang/Deprecated;"), (short) 0));
            return Arrays.toString(new Loader(w).loadClass("Target").getAnnotations());
        });
        show("not an annotation", () -> {
            Class_writer w = plain("Target");
            w.attribute("RuntimeVisibleAnnotations", code((short) 1, w.utf("Ljava/lang/Runnable;"), (short) 0));
            return Arrays.toString(new Loader(w).loadClass("Target").getAnnotations());
        });
        kind("cut", () -> {
            Class_writer w = plain("Target");
            w.attribute("RuntimeVisibleAnnotations", code((short) 1, w.utf("Ljava/lang/Deprecated;")));
            return Arrays.toString(new Loader(w).loadClass("Target").getAnnotations());
        });
    }
}
