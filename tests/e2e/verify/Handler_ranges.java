// Exception tables: nesting, order, self-covering handlers, catch types that are not Throwable, stacks at handlers.
public class Handler_ranges extends Class_writer {
    Handler_ranges() { super(52, 0, "x", null); }

    static void t(String what, int arg, byte[] body, int[][] handlers, String... types) {
        for (int version : new int[]{49}) {
            Class_writer w = new Class_writer(version, PUBLIC | SUPER, "H", "java/lang/Object");
            int[][] real = new int[handlers.length][];
            for (int i = 0; i < real.length; i++) {
                real[i] = handlers[i].clone();
                if (types[i] != null) real[i][3] = w.cls(types[i]);
            }
            w.addMethod(PUBLIC | STATIC, "f", "(I)I", 2, 2, body, real);
            kind(what, () -> call(new Loader(w).loadClass("H"), "f", arg));
        }
    }

    public static void main(String[] args) {
        String arith = "java/lang/ArithmeticException", rte = "java/lang/RuntimeException", npe = "java/lang/NullPointerException";
        // 0: bipush 60; iload_0; idiv; ireturn; 5: pop; iconst_1; ireturn; 8: pop; iconst_2; ireturn
        byte[] body = code(16, 60, 26, 108, IRETURN, 87, 4, IRETURN, 87, 5, IRETURN);
        for (int x : new int[]{3, 0}) {
            t("one", x, body, new int[][]{{0, 5, 5, 0}}, arith);
            t("any", x, body, new int[][]{{0, 5, 8, 0}}, (String) null);
            t("first wins", x, body, new int[][]{{0, 5, 5, 0}, {0, 5, 8, 0}}, rte, arith);
            t("second matches", x, body, new int[][]{{0, 5, 5, 0}, {0, 5, 8, 0}}, npe, arith);
            t("none matches", x, body, new int[][]{{0, 5, 5, 0}}, npe);
            t("range before", x, body, new int[][]{{0, 3, 5, 0}}, arith);
            t("range exactly", x, body, new int[][]{{3, 4, 5, 0}}, arith);
            t("range to the end", x, body, new int[][]{{3, 11, 5, 0}}, arith);
            t("no throwable", x, body, new int[][]{{0, 5, 5, 0}}, "java/lang/String");
            t("interface", x, body, new int[][]{{0, 5, 5, 0}}, "java/lang/Runnable");
            t("absent type", x, body, new int[][]{{0, 5, 5, 0}}, "Nowhere");
            t("start inside", x, body, new int[][]{{1, 5, 5, 0}}, arith);
            t("end inside", x, body, new int[][]{{0, 1, 5, 0}}, arith);
            t("end beyond", x, body, new int[][]{{0, 12, 5, 0}}, arith);
        }
        // a handler that covers itself and rethrows: the second row catches
        byte[] again = code(16, 60, 26, 108, IRETURN, 191, 0, 0, 87, 5, IRETURN);
        t("handler throws, outer catches", 0, again, new int[][]{{0, 5, 5, 0}, {5, 6, 8, 0}}, arith, rte);
        t("handler throws", 0, again, new int[][]{{0, 5, 5, 0}}, arith);
        // 0: iconst_0; istore_1; 2: iinc 1 1; iload_1; bipush 10; if_icmpge ->... divide by zero otherwise, handler at own range
        byte[] loop = code(3, 60, /*2*/ 132, 1, 1, 27, 16, 10, 162, (short) 8, 4, 3, 108, IRETURN, 0, /*16*/ 27, IRETURN, /*18*/ 87, 167, (short) -17);
        t("handler as loop", 0, loop, new int[][]{{2, 15, 18, 0}}, arith);
        // the local's type varies within the range
        byte[] mixed = code(4, 60, 1, 76, 26, 26, 108, IRETURN, 87, 27, IRETURN);
        t("local differs", 0, mixed, new int[][]{{2, 8, 8, 0}}, arith);
        t("local before store", 0, code(26, 26, 108, 60, 27, IRETURN, 87, 27, IRETURN), new int[][]{{0, 6, 6, 0}}, arith);
    }
}
