// Method handles, VarHandles, lambdas and string concatenation in hot code.
import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import java.lang.invoke.VarHandle;
import java.util.function.Function;
import java.util.function.Supplier;

public class Handles {
    static final MethodHandle ADD, CONCAT, LENGTH, SELECT, FIELD;
    static final VarHandle COUNT, CELLS;
    volatile long count;
    int plain = 5;

    static long add(int a, long b, double c) { return a + b + (long) c; }
    static String pair(String a, Object b) { return a + "/" + b; }
    static boolean odd(int x) { return (x & 1) != 0; }
    static int big(int x) { return x * 10; }
    static int small(int x) { return -x; }

    static {
        try {
            MethodHandles.Lookup l = MethodHandles.lookup();
            ADD = l.findStatic(Handles.class, "add", MethodType.methodType(long.class, int.class, long.class, double.class));
            CONCAT = MethodHandles.insertArguments(l.findStatic(Handles.class, "pair", MethodType.methodType(String.class, String.class, Object.class)), 0, "x");
            LENGTH = l.findVirtual(CharSequence.class, "length", MethodType.methodType(int.class));
            MethodType ints = MethodType.methodType(int.class, int.class);
            SELECT = MethodHandles.guardWithTest(l.findStatic(Handles.class, "odd", MethodType.methodType(boolean.class, int.class)),
                l.findStatic(Handles.class, "big", ints), l.findStatic(Handles.class, "small", ints));
            FIELD = l.findGetter(Handles.class, "plain", int.class);
            COUNT = l.findVarHandle(Handles.class, "count", long.class);
            CELLS = MethodHandles.arrayElementVarHandle(int[].class);
        } catch (ReflectiveOperationException e) {
            throw new AssertionError(e);
        }
    }

    static long calls(Handles h, int n) throws Throwable {
        long sum = 0;
        int[] cells = new int[8];
        for (int i = 0; i < n; i++) {
            sum += (long) ADD.invokeExact(i, 3L, 0.5 * i);
            sum += ((String) CONCAT.invoke((Object) i)).length();
            sum += (int) LENGTH.invokeExact((CharSequence) "abc");
            sum += (int) SELECT.invokeExact(i);
            sum += (int) FIELD.invokeExact(h);
            while (true) {
                long old = (long) COUNT.getVolatile(h);
                if (COUNT.compareAndSet(h, old, old + i)) break;
            }
            CELLS.getAndAdd(cells, i & 7, i);
            sum += (int) CELLS.get(cells, (i + 1) & 7);
        }
        return sum + h.count;
    }

    static String texts(int n) {
        String last = "";
        int hash = 0;
        for (int i = 0; i < n; i++) {
            last = "i=" + i + ' ' + (i * 0.5) + (i % 2 == 0) + (char) ('a' + i % 26) + null + (long) i;
            hash = hash * 31 + last.hashCode();
        }
        return last + " " + hash;
    }

    static long lambdas(int n) {
        long sum = 0;
        for (int i = 0; i < n; i++) {
            int k = i;
            long w = i * 3L;
            Supplier<Long> s = () -> k + w;
            Function<Integer, Integer> f = x -> x + k;
            Function<Integer, Integer> g = f.andThen(Handles::big);
            sum += s.get() + g.apply(2);
        }
        return sum;
    }

    public static void main(String[] args) throws Throwable {
        Handles h = new Handles();
        System.out.println(calls(h, 20_000));
        System.out.println(texts(15_000));
        System.out.println(lambdas(40_000));
        try {
            int wrong = (int) ADD.invokeExact(1, 2L, 3.0);
            System.out.println(wrong);
        } catch (java.lang.invoke.WrongMethodTypeException e) {
            System.out.println(e.getMessage());
        }
        try {
            CELLS.set(new int[2], 5, 1);
        } catch (ArrayIndexOutOfBoundsException e) {
            System.out.println(e.getMessage());
        }
        try {
            MethodHandle none = null;
            none.invoke();
        } catch (NullPointerException e) {
            System.out.println("null handle");
        }
    }
}
