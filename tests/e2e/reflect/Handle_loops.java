// Method handle control flow: loops of all kinds, tryFinally, tableSwitch, guards, folds, filters, permutations.
import java.lang.invoke.*;
import java.util.*;
import static java.lang.invoke.MethodType.methodType;

public class Handle_loops {
    static int inc(int i) { return i + 1; }
    static boolean less(int i, int n) { return i < n; }
    static String app(String s, int i) { return s + i; }
    static String body(String s, String item) { return s + "<" + item + ">"; }
    static int zero(int n) { return 0; }
    static int div(int a, int b) { return a / b; }
    static int fin(Throwable t, int r, int a, int b) { return t == null ? r * 1000 : -1; }
    static String caught(ArithmeticException e, int a, int b) { return e.getMessage() + a; }
    static String str(int i) { return "case " + i; }
    static String dflt(int i) { return "default " + i; }
    static MethodHandle h(String n, Class<?> r, Class<?>... ps) throws Exception { return MethodHandles.lookup().findStatic(Handle_loops.class, n, methodType(r, ps)); }

    public static void main(String[] args) throws Throwable {
        MethodHandle count = MethodHandles.countedLoop(MethodHandles.identity(int.class), MethodHandles.constant(String.class, "s").asType(methodType(String.class)), h("app", String.class, String.class, int.class));
        System.out.println(count.type() + " " + (String) count.invoke(5) + " " + (String) count.invoke(0));
        MethodHandle range = MethodHandles.countedLoop(MethodHandles.constant(int.class, 3), MethodHandles.constant(int.class, 6), null, h("app", String.class, String.class, int.class));
        System.out.println((String) range.invoke());
        MethodHandle iter = MethodHandles.iteratedLoop(null, MethodHandles.constant(String.class, ""), h("body", String.class, String.class, String.class));
        System.out.println(iter.type());
        MethodHandle w = MethodHandles.whileLoop(h("zero", int.class, int.class), h("less", boolean.class, int.class, int.class), MethodHandles.dropArguments(h("inc", int.class, int.class), 1, int.class));
        System.out.println((int) w.invoke(7) + " " + w.type());
        MethodHandle dw = MethodHandles.doWhileLoop(h("zero", int.class, int.class), MethodHandles.dropArguments(h("inc", int.class, int.class), 1, int.class), h("less", boolean.class, int.class, int.class));
        System.out.println((int) dw.invoke(0) + " " + (int) dw.invoke(4));
        MethodHandle tf = MethodHandles.tryFinally(h("div", int.class, int.class, int.class), h("fin", int.class, Throwable.class, int.class, int.class, int.class));
        System.out.println((int) tf.invoke(6, 3));
        try { int x = (int) tf.invoke(6, 0); System.out.println(x); } catch (ArithmeticException e) { System.out.println("rethrown " + e.getMessage()); }
        MethodHandle ce = MethodHandles.catchException(h("div", int.class, int.class, int.class).asType(methodType(Object.class, int.class, int.class)), ArithmeticException.class, h("caught", String.class, ArithmeticException.class, int.class, int.class).asType(methodType(Object.class, ArithmeticException.class, int.class, int.class)));
        System.out.println(ce.invoke(8, 2) + " " + ce.invoke(8, 0));
        MethodHandle ts = MethodHandles.tableSwitch(h("dflt", String.class, int.class), h("str", String.class, int.class), h("str", String.class, int.class));
        for (int i = -1; i < 3; i++) System.out.println((String) ts.invoke(i));
        MethodHandle guard = MethodHandles.guardWithTest(h("less", boolean.class, int.class, int.class), h("div", int.class, int.class, int.class), MethodHandles.permuteArguments(h("div", int.class, int.class, int.class), methodType(int.class, int.class, int.class), 1, 0));
        System.out.println((int) guard.invoke(3, 12) + " " + (int) guard.invoke(12, 3) + " " + guard.type());
        MethodHandle fold = MethodHandles.foldArguments(h("div", int.class, int.class, int.class), h("inc", int.class, int.class)), filter = MethodHandles.filterArguments(h("div", int.class, int.class, int.class), 0, h("inc", int.class, int.class), h("inc", int.class, int.class));
        System.out.println((int) fold.invoke(1) + " " + (int) filter.invoke(5, 1) + " " + (int) MethodHandles.collectArguments(h("div", int.class, int.class, int.class), 0, h("div", int.class, int.class, int.class)).invoke(20, 2, 5) + " " + (int) MethodHandles.dropReturn(h("inc", int.class, int.class)).type().parameterCount());
    }
}
