// Method handles, variable handles, lambdas and receivers that are constants in compiled code: first hot, then with
// late surprises (null receivers, exceptions, wrong types, a changed call site, replaced System.out).
import java.lang.invoke.*;
import java.util.*;
import java.util.function.*;

public class Constant_handles {
    static class Cell {
        int plain;
        volatile long counted;
        Object link;
        final int[] some = {1, 2, 3};
        int add(int n) { return plain += n; }
        static int twice(int n) { return 2 * n; }
    }
    static class Loud extends Cell {
        @Override int add(int n) { return super.add(n) + 1000; }
    }
    interface Shape { int area(); }
    record Square(int side) implements Shape { public int area() { return side * side; } }
    static abstract class Hidden { abstract int value(); }

    static final MethodHandle ADD, TWICE, MAKE, GET, SET, ELEMENT, AREA, THROWER;
    static final VarHandle PLAIN, COUNTED, LINK, ITEMS;
    static final Supplier<String> FIXED = () -> "fixed";
    static final IntUnaryOperator PLUS = n -> n + 7;
    static final MutableCallSite SITE = new MutableCallSite(MethodType.methodType(int.class, int.class));
    static final MethodHandle MOVING = SITE.dynamicInvoker();
    static {
        try {
            MethodHandles.Lookup l = MethodHandles.lookup();
            ADD = l.findVirtual(Cell.class, "add", MethodType.methodType(int.class, int.class));
            TWICE = l.findStatic(Cell.class, "twice", MethodType.methodType(int.class, int.class));
            MAKE = l.findConstructor(Cell.class, MethodType.methodType(void.class));
            GET = l.findGetter(Cell.class, "plain", int.class);
            SET = l.findSetter(Cell.class, "plain", int.class);
            ELEMENT = MethodHandles.arrayElementGetter(int[].class);
            AREA = l.findVirtual(Shape.class, "area", MethodType.methodType(int.class));
            THROWER = MethodHandles.throwException(int.class, IllegalStateException.class);
            PLAIN = l.findVarHandle(Cell.class, "plain", int.class);
            COUNTED = l.findVarHandle(Cell.class, "counted", long.class);
            LINK = l.findVarHandle(Cell.class, "link", Object.class);
            ITEMS = MethodHandles.arrayElementVarHandle(long[].class);
            SITE.setTarget(TWICE);
        } catch (ReflectiveOperationException e) {
            throw new ExceptionInInitializerError(e);
        }
    }

    static int handles(Cell c, int n) throws Throwable {
        int s = (int) ADD.invokeExact(c, n);
        s += (int) TWICE.invokeExact(n);
        Cell made = (Cell) MAKE.invokeExact();
        s += made.some.length;
        SET.invokeExact(made, s);
        s += (int) GET.invokeExact(made) + (int) ELEMENT.invokeExact(made.some, n % 3);
        return s + (int) AREA.invoke((Shape) new Square(n % 5));
    }

    static long variables(Cell c, long[] items, int n) {
        PLAIN.set(c, n);
        COUNTED.getAndAdd(c, (long) (int) PLAIN.getVolatile(c));
        if (!LINK.compareAndSet(c, c.link, c)) throw new AssertionError();
        ITEMS.setRelease(items, n % items.length, (long) COUNTED.get(c));
        return (long) ITEMS.getAcquire(items, (n + 1) % items.length) + (LINK.get(c) == c ? 1 : 0);
    }

    static int lambdas(int n) {
        int k = n & 3;
        IntSupplier capturing = () -> k + n;
        Function<Integer, Integer> boxed = x -> x + k;
        IntBinaryOperator none = (a, b) -> a * b;
        Supplier<Shape> make = () -> new Square(k);
        Callback later = Constant_handles::note;
        return capturing.getAsInt() + boxed.apply(n) + none.applyAsInt(n, 3) + make.get().area() + later.call(k) + FIXED.get().length()
               + PLUS.applyAsInt(n);
    }
    interface Callback { int call(int n); }
    static int noted;
    static int note(int n) { return noted += n; }

    static String joined(int n, Object o, char c) { return "n=" + n + " o=" + o + c + n * 0.5; }

    static int moving(int n) throws Throwable { return (int) MOVING.invokeExact(n); }

    static void late(String what, Callable body) {
        try {
            System.out.println(what + ": " + body.call());
        } catch (Throwable t) {
            StackTraceElement top = t.getStackTrace().length > 0 ? t.getStackTrace()[0] : null;
            System.out.println(what + ": " + t.getClass().getName() + (top == null ? "" : " in " + top.getMethodName()));
        }
    }
    interface Callable { Object call() throws Throwable; }

    public static void main(String[] args) throws Throwable {
        long sum = 0;
        Cell c = new Cell(), loud = new Loud();
        long[] items = new long[16];
        for (int i = 0; i < 60000; i++) {
            sum += handles((i & 15) == 0 ? loud : c, i) + variables(c, items, i) + lambdas(i) + moving(i);
            if (i % 10 == 0) sum += joined(i, i % 3 == 0 ? null : "x", 'c').length();
        }
        System.out.println(sum + " " + noted + " " + c.plain + " " + c.counted);
        late("null receiver", () -> handles(null, 1));
        late("null of a variable", () -> variables(null, items, 1));
        late("null array", () -> variables(c, null, 1));
        late("null of an interface", () -> (int) AREA.invokeExact((Shape) null));
        late("wrong type", () -> (String) (Object) TWICE.invoke("x"));
        late("not exact", () -> (Object) TWICE.invokeExact((Object) 1));
        late("thrown", () -> (int) THROWER.invokeExact(new IllegalStateException("late")));
        late("abstract", () -> Hidden.class.getDeclaredConstructor().newInstance());
        SITE.setTarget(MethodHandles.filterReturnValue(TWICE, TWICE));
        late("moved", () -> moving(21));
        java.io.PrintStream out = System.out;
        System.setOut(new java.io.PrintStream(out, true) {
            @Override public void println(String s) { super.println("replaced " + s); }
        });
        for (int i = 0; i < 3; i++) System.out.println("line " + i);
        System.setOut(out);
        System.out.println(joined(7, List.of(1, 2), '!'));
    }
}
