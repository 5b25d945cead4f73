// The verifier and the operand stack: underflow, overflow, halves of longs, mixed types, with and without stack maps.
public class Stack_shapes extends Class_writer {
    Stack_shapes() { super(52, 0, "x", null); }

    static void t(String what, String type, int stack, int locals, Object... code) {
        for (int version : new int[]{49, 52}) {
            Class_writer w = new Class_writer(version, PUBLIC | SUPER, "S", "java/lang/Object");
            w.addMethod(PUBLIC | STATIC, "f", type, stack, locals, code);
            kind(what + " " + version, () -> { Class.forName("S", true, new Loader(w)); return "accepted"; });
        }
    }

    public static void main(String[] args) {
        t("empty pop", "()V", 1, 0, 87, RETURN);
        t("underflow of two", "()I", 2, 0, 4, 96, IRETURN);
        t("overflow", "()V", 1, 0, 4, 4, 87, 87, RETURN);
        t("long in one", "()V", 1, 0, 9, 88, RETURN);
        t("pop half a long", "()V", 2, 0, 9, 87, 87, RETURN);
        t("pop2 of long", "()V", 2, 0, 9, 88, RETURN);
        t("pop2 of two ints", "()V", 2, 0, 4, 5, 88, RETURN);
        t("pop2 splitting", "()V", 3, 0, 4, 9, 87, 88, RETURN);
        t("dup of long", "()V", 4, 0, 9, 89, 88, 87, RETURN);
        t("dup2 of long", "()V", 4, 0, 9, 92, 88, 88, RETURN);
        t("dup_x1 over long", "()V", 4, 0, 9, 4, 90, 87, 88, 87, RETURN);
        t("dup_x2 over long", "()V", 4, 0, 9, 4, 91, 87, 88, 87, RETURN);
        t("swap of long", "()V", 3, 0, 9, 4, 95, 88, 87, RETURN);
        t("swap", "()I", 2, 0, 1, 4, 95, 87, IRETURN);
        t("int plus float", "()I", 2, 0, 4, 12, 96, IRETURN);
        t("long plus int", "()J", 4, 0, 9, 4, 97, 173);
        t("shift long by int", "()J", 4, 0, 9, 4, 121, 173);
        t("shift long by long", "()J", 4, 0, 9, 9, 121, 173);
        t("null as int", "()I", 1, 0, 1, IRETURN);
        t("int as reference", "()Ljava/lang/Object;", 1, 0, 3, ARETURN);
        t("string as integer", "()Ljava/lang/Integer;", 1, 1, 1, 75, 42, ARETURN);
        t("return value missing", "()I", 1, 0, RETURN);
        t("return value too many", "()V", 1, 0, 4, IRETURN);
        t("float as int", "()I", 1, 0, 11, IRETURN);
        t("off the end", "()V", 1, 0, 4, 87);
        t("dead code", "()V", 1, 0, RETURN, 87, RETURN);
        t("local beyond", "()V", 1, 1, 4, 60, RETURN);
        t("long local at the edge", "()V", 2, 1, 9, 63, RETURN);
        t("local read before write", "()I", 1, 1, 26, IRETURN);
        t("half of long local", "(J)I", 1, 2, 27, IRETURN);
        t("long local broken", "(J)J", 2, 2, 4, 60, 30, 173);
        t("argument kinds", "(IJFDLjava/lang/Object;)V", 2, 8, 26, 87, 31, 88, 35, 87, 24, 4, 88, 25, 6, 87, RETURN);
        t("iinc of float", "(F)V", 0, 1, 132, 0, 1, RETURN);
        t("unknown instruction", "()V", 0, 0, 203, RETURN);
        t("cut instruction", "()V", 1, 0, 16);
        t("jump into operand", "(I)V", 1, 1, 16, 26, 87, 167, (short) -2);
        t("jump before", "()V", 0, 0, 167, (short) -5);
        t("throw of int", "()V", 1, 0, 4, 191);
        t("throw of object", "(Ljava/lang/Object;)V", 1, 1, 42, 191);
        t("throw of null", "()V", 1, 0, 1, 191);
        t("monitor of int", "()V", 1, 0, 4, 194, RETURN);
        t("length of object", "(Ljava/lang/Object;)I", 1, 1, 42, 190, IRETURN);
        t("length of null", "()I", 1, 0, 1, 190, IRETURN);
        t("int load from long array", "([J)I", 2, 1, 42, 3, 46, IRETURN);
        t("byte load from boolean array", "([Z)I", 2, 1, 42, 3, 51, IRETURN);
        t("char load from short array", "([S)I", 2, 1, 42, 3, 52, IRETURN);
        t("newarray kind", "()V", 1, 0, 4, 188, 3, 87, RETURN);
    }
}
