// Verification of arguments and receivers: classes, interfaces as objects, arrays, protected members, special calls.
public class Call_arguments extends Class_writer {
    Call_arguments() { super(52, 0, "x", null); }

    interface Make { void with(Class_writer w); }

    static void t(String what, Make m) {
        for (int version : new int[]{49, 52}) {
            kind(what + " " + version, () -> {
                Class_writer w = new Class_writer(version, PUBLIC | SUPER, "p/C", "java/util/ArrayList");
                m.with(w);
                return "accepted " + Class.forName("p.C", true, new Loader(w)).getName();
            });
        }
    }

    static void pass(String what, String from, String to) {
        t(what, w -> {
            w.addMethod(PUBLIC | STATIC, "take", "(" + to + ")V", 0, 1, RETURN);
            w.addMethod(PUBLIC | STATIC, "f", "(" + from + ")V", 1, 1, ALOAD_0, INVOKESTATIC, w.method("p/C", "take", "(" + to + ")V"), RETURN);
        });
    }

    public static void main(String[] args) {
        pass("same", "Ljava/lang/String;", "Ljava/lang/String;");
        pass("up", "Ljava/lang/String;", "Ljava/lang/Object;");
        pass("down", "Ljava/lang/Object;", "Ljava/lang/String;");
        pass("aside", "Ljava/lang/Integer;", "Ljava/lang/String;");
        pass("to interface", "Ljava/lang/Object;", "Ljava/lang/Runnable;");
        pass("from interface", "Ljava/lang/Runnable;", "Ljava/lang/String;");
        pass("array to object", "[I", "Ljava/lang/Object;");
        pass("array to cloneable", "[I", "Ljava/lang/Cloneable;");
        pass("array to runnable", "[I", "Ljava/lang/Runnable;");
        pass("array to string", "[I", "Ljava/lang/String;");
        pass("array up", "[Ljava/lang/String;", "[Ljava/lang/Object;");
        pass("array down", "[Ljava/lang/Object;", "[Ljava/lang/String;");
        pass("array of interfaces", "[Ljava/lang/Object;", "[Ljava/lang/Runnable;");
        pass("primitive arrays", "[I", "[J");
        pass("boolean and byte arrays", "[Z", "[B");
        pass("nested array up", "[[I", "[Ljava/lang/Object;");
        pass("nested array", "[[I", "[[Ljava/lang/Object;");
        pass("object to array", "Ljava/lang/Object;", "[I");
        pass("own class", "Lp/C;", "Ljava/util/ArrayList;");
        pass("own class down", "Ljava/util/ArrayList;", "Lp/C;");
        t("receiver", w -> w.addMethod(PUBLIC | STATIC, "f", "(Ljava/lang/Object;)I", 1, 1, ALOAD_0, INVOKEVIRTUAL, w.method("java/lang/String", "length", "()I"), IRETURN));
        t("interface receiver", w -> w.addMethod(PUBLIC | STATIC, "f", "(Ljava/lang/Object;)V", 1, 1, ALOAD_0, INVOKEINTERFACE, w.imethod("java/lang/Runnable", "run", "()V"), 1, 0, RETURN));
        t("interface count", w -> w.addMethod(PUBLIC | STATIC, "f", "(Ljava/lang/Object;)V", 1, 1, ALOAD_0, INVOKEINTERFACE, w.imethod("java/lang/Runnable", "run", "()V"), 2, 0, RETURN));
        t("interface zero", w -> w.addMethod(PUBLIC | STATIC, "f", "(Ljava/lang/Object;)V", 1, 1, ALOAD_0, INVOKEINTERFACE, w.imethod("java/lang/Runnable", "run", "()V"), 1, 1, RETURN));
        t("virtual of interface ref", w -> w.addMethod(PUBLIC | STATIC, "f", "(Ljava/lang/Runnable;)V", 1, 1, ALOAD_0, INVOKEVIRTUAL, w.imethod("java/lang/Runnable", "run", "()V"), RETURN));
        t("calls init", w -> w.addMethod(PUBLIC | STATIC, "f", "(Lp/C;)V", 1, 1, ALOAD_0, INVOKEVIRTUAL, w.method("p/C", "<init>", "()V"), RETURN));
        t("calls clinit", w -> w.addMethod(PUBLIC | STATIC, "f", "()V", 1, 1, INVOKESTATIC, w.method("p/C", "<clinit>", "()V"), RETURN));
        t("special of unrelated", w -> w.addMethod(PUBLIC, "f", "(Ljava/lang/String;)I", 1, 2, 43, INVOKESPECIAL, w.method("java/lang/String", "length", "()I"), IRETURN));
        t("special of parent", w -> w.addMethod(PUBLIC, "f", "()I", 1, 1, ALOAD_0, INVOKESPECIAL, w.method("java/util/ArrayList", "size", "()I"), IRETURN));
        t("special of grandparent", w -> w.addMethod(PUBLIC, "f", "()I", 1, 1, ALOAD_0, INVOKESPECIAL, w.method("java/util/AbstractList", "hashCode", "()I"), IRETURN));
        t("special on other object", w -> w.addMethod(PUBLIC, "f", "(Ljava/util/ArrayList;)I", 1, 2, 43, INVOKESPECIAL, w.method("java/util/ArrayList", "size", "()I"), IRETURN));
        t("protected of itself", w -> w.addMethod(PUBLIC, "f", "()V", 3, 1, ALOAD_0, 3, 3, INVOKEVIRTUAL, w.method("java/util/ArrayList", "removeRange", "(II)V"), RETURN));
        t("protected of another", w -> w.addMethod(PUBLIC, "f", "(Ljava/util/ArrayList;)V", 3, 2, 43, 3, 3, INVOKEVIRTUAL, w.method("java/util/ArrayList", "removeRange", "(II)V"), RETURN));
        t("protected field of another", w -> w.addMethod(PUBLIC, "f", "(Ljava/util/AbstractList;)I", 1, 2, 43, GETFIELD, w.field("java/util/AbstractList", "modCount", "I"), IRETURN));
        t("protected field of itself", w -> w.addMethod(PUBLIC, "f", "()I", 1, 1, ALOAD_0, GETFIELD, w.field("java/util/AbstractList", "modCount", "I"), IRETURN));
        t("clone of array", w -> w.addMethod(PUBLIC | STATIC, "f", "([I)Ljava/lang/Object;", 1, 1, ALOAD_0, INVOKEVIRTUAL, w.method("[I", "clone", "()Ljava/lang/Object;"), ARETURN));
        t("clone of object", w -> w.addMethod(PUBLIC | STATIC, "f", "(Ljava/lang/Object;)Ljava/lang/Object;", 1, 1, ALOAD_0, INVOKEVIRTUAL, w.method("java/lang/Object", "clone", "()Ljava/lang/Object;"), ARETURN));
        t("instanceof on int", w -> w.addMethod(PUBLIC | STATIC, "f", "()I", 1, 1, 4, 193, w.cls("java/lang/String"), IRETURN));
        t("multianewarray too deep", w -> w.addMethod(PUBLIC | STATIC, "f", "()V", 3, 1, 4, 4, 4, 197, w.cls("[[I"), 3, 87, RETURN));
        t("multianewarray zero", w -> w.addMethod(PUBLIC | STATIC, "f", "()V", 3, 1, 197, w.cls("[[I"), 0, 87, RETURN));
        t("ldc of utf8", w -> w.addMethod(PUBLIC | STATIC, "f", "()V", 3, 1, 18, (int) w.utf("x"), 87, RETURN));
        t("ldc of long", w -> w.addMethod(PUBLIC | STATIC, "f", "()V", 3, 1, 18, (int) w.longer(4), 88, RETURN));
        t("ldc2 of int", w -> w.addMethod(PUBLIC | STATIC, "f", "()V", 3, 1, 20, w.integer(4), 88, RETURN));
        t("checkcast of name", w -> w.addMethod(PUBLIC | STATIC, "f", "(Ljava/lang/Object;)V", 3, 1, ALOAD_0, 192, w.utf("java/lang/String"), 87, RETURN));
        t("field type", w -> w.addField(STATIC, "s", "Ljava/lang/String;").addMethod(PUBLIC | STATIC, "f", "(Ljava/lang/Object;)V", 3, 1, ALOAD_0, PUTSTATIC, w.field("p/C", "s", "Ljava/lang/String;"), RETURN));
        t("boolean field from int", w -> w.addField(STATIC, "z", "Z").addMethod(PUBLIC | STATIC, "f", "(I)V", 3, 1, 26, PUTSTATIC, w.field("p/C", "z", "Z"), RETURN));
    }
}
