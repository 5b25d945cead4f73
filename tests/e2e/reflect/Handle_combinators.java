// MethodHandles combinators: filter, fold, guard, loops, try, permute, insert, drop, arrays, constants.
import java.lang.invoke.*;
import java.util.*;
import static java.lang.invoke.MethodHandles.*;
import static java.lang.invoke.MethodType.methodType;

public class Handle_combinators {
    static int add(int a, int b) { return a + b; }
    static boolean neg(int x) { return x < 0; }
    static String s(Object o) { return "<" + o + ">"; }
    static int fail(int x) { if (x == 3) throw new IllegalStateException("three"); return x; }
    static int onError(IllegalStateException e, int x) { return -x; }
    static boolean more(int i, int acc) { return i < 5; }
    static int step(int acc, int i) { return acc + i * i; }
    static int cleanup(Throwable t, int r, int x) { return t == null ? r + 1000 : -1; }

    public static void main(String[] args) throws Throwable {
        Lookup l = lookup();
        MethodType i2 = methodType(int.class, int.class, int.class), i1 = methodType(int.class, int.class);
        MethodHandle add = l.findStatic(Handle_combinators.class, "add", i2), neg = l.findStatic(Handle_combinators.class, "neg", methodType(boolean.class, int.class)), s = l.findStatic(Handle_combinators.class, "s", methodType(String.class, Object.class));
        MethodHandle fail = l.findStatic(Handle_combinators.class, "fail", i1);
        MethodHandle negate = l.findStatic(Math.class, "negateExact", i1);
        System.out.println((int) insertArguments(add, 1, 10).invokeExact(5) + " " + (int) dropArguments(add, 1, String.class).invokeExact(1, "x", 2) + " " + (int) permuteArguments(add, i1, 0, 0).invokeExact(21));
        System.out.println((int) filterArguments(add, 0, negate).invokeExact(5, 7) + " " + (int) filterReturnValue(add, negate).invokeExact(5, 7) + " " + (String) filterReturnValue(add.asType(methodType(Object.class, int.class, int.class)), s).invokeExact(1, 2) + " " + (int) collectArguments(add, 1, add).invokeExact(1, 2, 3) + " " + (int) foldArguments(dropArguments(add, 2, int.class), add).invoke(3, 4));
        MethodHandle abs = guardWithTest(neg, negate, identity(int.class));
        System.out.println((int) abs.invokeExact(-9) + " " + (int) abs.invokeExact(8));
        MethodHandle safe = catchException(fail, IllegalStateException.class, l.findStatic(Handle_combinators.class, "onError", methodType(int.class, IllegalStateException.class, int.class)));
        System.out.println((int) safe.invokeExact(2) + " " + (int) safe.invokeExact(3));
        MethodHandle fin = tryFinally(fail, l.findStatic(Handle_combinators.class, "cleanup", methodType(int.class, Throwable.class, int.class, int.class)));
        System.out.print((int) fin.invokeExact(1) + " ");
        try {
            int r = (int) fin.invokeExact(3);
        } catch (IllegalStateException e) {
            System.out.println(e.getMessage());
        }
        MethodHandle count = countedLoop(constant(int.class, 6), constant(int.class, 0), l.findStatic(Handle_combinators.class, "step", i2));
        System.out.println((int) count.invokeExact());
        MethodHandle it = iteratedLoop(null, constant(int.class, 0), add.asType(methodType(int.class, int.class, Integer.class)));
        System.out.println((int) it.invoke((Iterable<Integer>) List.of(1, 2, 3)));
        MethodHandle get = arrayElementGetter(int[].class), set = arrayElementSetter(String[].class), len = arrayLength(long[].class), mk = arrayConstructor(double[].class);
        String[] arr = {"a", "b"};
        set.invokeExact(arr, 1, "B");
        System.out.println((int) get.invokeExact(new int[]{4, 5}, 1) + arr[1] + (int) len.invokeExact(new long[3]) + ((double[]) mk.invokeExact(7)).length);
        System.out.println((Object) constant(String.class, "k").invoke() + " " + (int) zero(int.class).invokeExact() + " " + empty(methodType(String.class, int.class)).invoke(1) + " " + (int) explicitCastArguments(identity(int.class), methodType(int.class, long.class)).invokeExact(1L << 32 | 7) + " " + (byte) explicitCastArguments(identity(byte.class), methodType(byte.class, double.class)).invokeExact(300.5));
        try {
            Object o = throwException(String.class, Exception.class).invoke(new Exception("thrown"));
        } catch (Exception e) {
            System.out.println(e.getMessage());
        }
        MethodHandle inv = invoker(i2), ex = exactInvoker(i2), sp = spreadInvoker(i2, 1);
        System.out.println((int) ex.invokeExact(add, 3, 4) + " " + inv.invoke(add, (short) 3, 4) + " " + sp.invoke(add, 3, new Object[]{9}));
        Runnable r = MethodHandleProxies.asInterfaceInstance(Runnable.class, insertArguments(l.findVirtual(StringBuilder.class, "append", methodType(StringBuilder.class, String.class)), 0, new StringBuilder(), "x").asType(methodType(void.class)));
        r.run();
        Comparator<Integer> cmp = MethodHandleProxies.asInterfaceInstance(Comparator.class, l.findStatic(Integer.class, "compare", i2).asType(methodType(int.class, Object.class, Object.class)));
        System.out.println(cmp.compare(5, 3) + " " + MethodHandleProxies.isWrapperInstance(cmp));
        MutableCallSite cs = new MutableCallSite(add);
        MethodHandle dyn = cs.dynamicInvoker();
        System.out.print((int) dyn.invokeExact(1, 2) + " ");
        cs.setTarget(permuteArguments(l.findStatic(Math.class, "subtractExact", i2), i2, 1, 0));
        System.out.println((int) dyn.invokeExact(1, 2) + " " + new ConstantCallSite(add).getTarget().type());
        MethodHandle deep = identity(int.class);
        for (int i = 0; i < 20; i++) deep = filterReturnValue(deep, insertArguments(add, 0, i));
        System.out.println((int) deep.invokeExact(100));
        MethodHandle sw = tableSwitch(l.findStatic(Handle_combinators.class, "s", methodType(String.class, Object.class)).asType(methodType(String.class, int.class)), dropArguments(constant(String.class, "zero"), 0, int.class), dropArguments(constant(String.class, "one"), 0, int.class));
        System.out.println((String) sw.invokeExact(0) + (String) sw.invokeExact(1) + (String) sw.invokeExact(2));
    }
}
