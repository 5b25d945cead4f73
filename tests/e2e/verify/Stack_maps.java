// Stack map tables: valid, missing, misplaced, with wrong types, of all frame kinds, and truncated.
public class Stack_maps extends Class_writer {
    Stack_maps() { super(52, 0, "x", null); }

    /** f(int): if (x != 0) return 1; return 2 -- with the given frames. */
    static void t(String what, int count, Object... frames) {
        Class_writer w = plain("M");
        byte[] map = w.attributeOf("StackMapTable", code((short) count, code(frames)));
        w.addMethod(PUBLIC | STATIC, "f", "(I)I", 2, 1, code(26, 153, (short) 5, 4, IRETURN, 5, IRETURN), new int[0][], map);
        kind(what, () -> call(new Loader(w).loadClass("M"), "f", 0));
    }

    /** A loop: for (n = 0; x != 0; x--) n++. */
    static void loop(String what, int count, Object... frames) {
        Class_writer w = plain("M");
        byte[] map = w.attributeOf("StackMapTable", code((short) count, code(frames)));
        w.addMethod(PUBLIC | STATIC, "f", "(I)I", 2, 2, code(3, 60, 26, 153, (short) 12, 132, 0, 255, 132, 1, 1, 167, (short) -10, 27, IRETURN), new int[0][], map);
        kind(what, () -> call(new Loader(w).loadClass("M"), "f", 7));
    }

    public static void main(String[] args) {
        t("same", 1, 6);
        t("none", 0);
        t("wrong place", 1, 4);
        t("inside instruction", 1, 2);
        t("beyond code", 1, 60);
        t("twice", 2, 6, 0);
        t("same extended", 1, 251, (short) 6);
        t("append int", 1, 252, (short) 6, 1);
        t("chop none there", 1, 250, (short) 6);
        t("chop two", 1, 249, (short) 6);
        t("one on stack", 1, 64 + 6, 1);
        t("full", 1, 255, (short) 6, (short) 1, 1, (short) 0);
        t("full float", 1, 255, (short) 6, (short) 1, 2, (short) 0);
        t("full top", 1, 255, (short) 6, (short) 1, 0, (short) 0);
        t("full no locals", 1, 255, (short) 6, (short) 0, (short) 0);
        t("full too many locals", 1, 255, (short) 6, (short) 2, 1, 1, (short) 0);
        t("full deep stack", 1, 255, (short) 6, (short) 1, 1, (short) 3, 1, 1, 1);
        t("reserved tag", 1, 200);
        t("unknown type", 1, 255, (short) 6, (short) 1, 9, (short) 0);
        t("object index", 1, 255, (short) 6, (short) 1, 7, (short) 900, (short) 0);
        t("uninitialized offset", 1, 255, (short) 6, (short) 1, 8, (short) 2, (short) 0);
        t("cut", 2, 6);
        t("left over", 1, 6, 0);
        t("unused frame in dead place", 2, 4, 1);
        loop("loop append", 2, 252, (short) 2, 1, 12);
        loop("loop missing second", 1, 252, (short) 2, 1);
        loop("loop same", 2, 2, 12);
        loop("loop float", 2, 252, (short) 2, 2, 12);
        loop("loop long", 2, 252, (short) 2, 4, 12);
        loop("loop top then int", 2, 252, (short) 2, 0, 12);
        loop("loop chop at end", 2, 252, (short) 2, 1, 250, (short) 12);
        loop("loop full", 2, 255, (short) 2, (short) 2, 1, 1, (short) 0, 255, (short) 12, (short) 2, 1, 1, (short) 0);
    }
}
