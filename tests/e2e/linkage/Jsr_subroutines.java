// Old class files (45.3 to 49) with jsr and ret: finally as a subroutine, nested ones, jsr_w, wide ret, and bad ones.
public class Jsr_subroutines extends Class_writer {
    Jsr_subroutines() { super(52, 0, "x", null); }

    static void t(String what, int version, int stack, int locals, int arg, Object... code) {
        Class_writer w = new Class_writer(version, PUBLIC | SUPER, "J", "java/lang/Object");
        w.addMethod(PUBLIC | STATIC, "f", "(I)I", stack, locals, code);
        kind(what + " " + (version & 65535), () -> call(new Loader(w).loadClass("J"), "f", arg));
    }

    public static void main(String[] args) {
        for (int v : new int[]{3 << 16 | 45, 46, 47, 48, 49, 50, 51}) {
            // iload_0; jsr +7 (adds 1 to local 0); iload_0; iadd; ireturn; nop; astore_1; iinc 0 1; ret 1
            t("once", v, 2, 2, 5, 26, 168, (short) 7, 26, 96, 172, 0, 76, 132, 0, 1, 169, 1);
        }
        // called twice: rejected at different stack depths, accepted at the same depth
        t("twice", 48, 2, 2, 5, 168, (short) 9, 168, (short) 6, 26, 172, 0, 76, 132, 0, 10, 169, 1);
        // nested: outer subroutine calls the inner one
        t("nested", 49, 2, 3, 1, 168, (short) 5, 26, 172, /*5 outer*/ 76, 168, (short) 8, 168, (short) 5, 169, 1, /*14 inner*/ 77, 132, 0, 100, 169, 2);
        t("jsr_w", 49, 2, 2, 5, 201, 7L, 26, 172, 76, 132, 0, 3, 169, 1);
        t("wide ret", 49, 2, 300, 5, 168, (short) 5, 26, 172, 196, 58, (short) 299, 132, 0, 4, 196, 169, (short) 299);
        // the local's type differs between the calls: accepted, since the subroutine does not read it
        t("polymorphic local", 48, 2, 4, 3, 3, 61, 168, (short) 10, 1, 77, 168, (short) 5, 26, 172, 78, 132, 0, 7, 169, 3);
        // a loop that calls the subroutine in each iteration
        t("loop", 48, 2, 3, 4, 3, 60, 26, 153, (short) 12, 168, (short) 11, 132, 0, 255, 167, (short) -10, 27, 172, 0, 77, 132, 1, 5, 169, 2);
        // failures
        t("return address as int", 48, 2, 2, 5, 168, (short) 5, 26, 172, 60, 169, 1);
        t("ret of an int", 48, 2, 2, 5, 26, 60, 169, 1);
        t("recursive subroutine", 48, 2, 2, 5, 168, (short) 5, 26, 172, 76, 168, (short) -1, 169, 1);
        t("address returned", 48, 2, 2, 5, 168, (short) 5, 26, 172, 176);
        t("address loaded", 48, 2, 2, 5, 168, (short) 5, 26, 172, 76, 43, 87, 169, 1);
        t("jump outside", 48, 2, 2, 5, 168, (short) 500, 26, 172);
        // try-finally with a handler around the subroutine
        Class_writer w = new Class_writer(48, PUBLIC | SUPER, "H", "java/lang/Object");
        w.addField(PUBLIC | STATIC, "n", "I");
        // try { return 10 / x; } finally { n += 1; }
        byte[] body = code(16, 10, 26, 108, 60, 168, (short) 11, 27, 172, /*10*/ 77, 168, (short) 5, 44, 191, /*16*/ 78, 178, w.field("H", "n", "I"), 4, 96, 179, w.field("H", "n", "I"), 169, 3);
        w.addMethod(PUBLIC | STATIC, "f", "(I)I", 2, 4, body, new int[][]{{0, 10, 10, 0}});
        show("finally", () -> {
            Class<?> c = new Loader(w).loadClass("H");
            Object r = call(c, "f", 5);
            kind("divide", () -> call(c, "f", 0));
            return r + " " + c.getField("n").getInt(null);
        });
    }
}
