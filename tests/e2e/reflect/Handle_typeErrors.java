// Method handles with wrong types: exact and loose invocation, asType, spreaders, collectors, and error messages.
import java.lang.invoke.*;
import java.util.*;
import static java.lang.invoke.MethodType.methodType;

public class Handle_typeErrors {
    interface Op { Object run() throws Throwable; }
    static void t(String what, Op o) { try { System.out.println(what + ": " + o.run()); } catch (Throwable e) { System.out.println(what + ": " + e.getClass().getSimpleName() + " " + e.getMessage()); } }
    static int add(int a, long b) { return (int) (a + b); }
    static String join(Object... os) { return Arrays.toString(os); }
    static void nothing() { }

    public static void main(String[] args) throws Throwable {
        MethodHandles.Lookup l = MethodHandles.lookup();
        MethodHandle add = l.findStatic(Handle_typeErrors.class, "add", methodType(int.class, int.class, long.class)), join = l.findStatic(Handle_typeErrors.class, "join", methodType(String.class, Object[].class)), none = l.findStatic(Handle_typeErrors.class, "nothing", methodType(void.class));
        t("exact", () -> (int) add.invokeExact(1, 2L));
        t("exact int", () -> (int) add.invokeExact(1, 2));
        t("exact object", () -> add.invokeExact(1, 2L));
        t("loose", () -> (int) add.invoke(1, 2) + " " + add.invoke((byte) 1, 'a') + " " + (long) add.invoke(Integer.valueOf(1), 2));
        t("loose string", () -> (int) add.invoke("1", 2));
        t("loose object string", () -> (int) add.invoke((Object) "1", 2));
        t("loose null", () -> (int) add.invoke((Integer) null, 2));
        t("few", () -> (int) add.invoke(1));
        t("many", () -> add.invokeWithArguments(1, 2, 3));
        t("arguments", () -> add.invokeWithArguments(1, 2) + " " + join.invokeWithArguments(1, 2, 3) + " " + join.invokeWithArguments());
        t("argument kinds", () -> add.invokeWithArguments(1.5, 2));
        t("varargs", () -> join.invoke(1, 2) + " " + join.invoke() + " " + join.invoke(new Object[]{5}) + " " + join.invoke((Object) new Object[]{5}).toString().startsWith("[[L"));
        t("varargs exact", () -> (String) join.invokeExact(1, 2));
        t("fixed", () -> join.asFixedArity().invoke(1, 2));
        t("void", () -> none.invoke() + " " + none.asType(methodType(Object.class)).invoke() + " " + none.asType(methodType(int.class)).invoke());
        t("asType narrowing", () -> add.asType(methodType(byte.class, int.class, long.class)));
        t("asType widening", () -> add.asType(methodType(double.class, short.class, char.class)).type());
        t("asType boxed", () -> add.asType(methodType(Integer.class, Integer.class, Long.class)).invoke(1, 2L));
        t("asType wrong box", () -> add.asType(methodType(Long.class, Integer.class, Long.class)));
        t("asType object", () -> (Object) add.asType(methodType(Object.class, Object.class, Object.class)).invoke(1, 2));
        t("explicit", () -> (byte) MethodHandles.explicitCastArguments(add, methodType(byte.class, double.class, boolean.class)).invoke(300.7, true));
        t("explicit null", () -> (int) MethodHandles.explicitCastArguments(add, methodType(int.class, Object.class, Object.class)).invoke((Object) null, (Object) null));
        t("spreader", () -> (int) add.asSpreader(Object[].class, 2).invoke(new Object[]{1, 2L}));
        t("spreader length", () -> (int) add.asSpreader(Object[].class, 2).invoke(new Object[]{1}));
        t("spreader null", () -> (int) add.asSpreader(Object[].class, 2).invoke((Object[]) null));
        t("collector", () -> join.asCollector(Object[].class, 3).invoke(1, 2, 3));
        t("bind", () -> add.bindTo("x"));
        t("insert", () -> (int) MethodHandles.insertArguments(add, 1, 5L).invoke(1));
        t("insert wrong", () -> MethodHandles.insertArguments(add, 1, 5));
        t("insert position", () -> MethodHandles.insertArguments(add, 3, 5));
        t("permute", () -> MethodHandles.permuteArguments(add, methodType(int.class, long.class, int.class), 1, 0).type());
        t("permute wrong", () -> MethodHandles.permuteArguments(add, methodType(int.class, long.class), 0, 0));
        t("guard wrong", () -> MethodHandles.guardWithTest(none, none, none));
        t("filter wrong", () -> MethodHandles.filterReturnValue(add, join));
        t("fold wrong", () -> MethodHandles.foldArguments(none, add));
        t("method type", () -> MethodType.fromMethodDescriptorString("(Ljava/lang/String;[IJ)V", null) + " " + methodType(int.class, String.class).toMethodDescriptorString() + " " + methodType(void.class).wrap() + " " + MethodType.genericMethodType(2, true));
        t("method type wrong", () -> MethodType.fromMethodDescriptorString("(I", null));
        t("method type void", () -> methodType(int.class, void.class));
        t("interned", () -> methodType(int.class, String.class) == methodType(int.class, String.class));
        t("255", () -> MethodHandles.dropArguments(add, 0, Collections.nCopies(254, int.class)));
    }
}
