// For tests/run/profiles.py: creates hidden classes in the order of the arguments. Each part creates and calls the same
// classes in every order.
import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import java.util.function.IntBinaryOperator;
import java.util.function.IntSupplier;
import java.util.function.IntUnaryOperator;

public class HiddenOrder {
    static int sum;

    public static class Plug implements Runnable {
        public void run() { sum++; }
    }

    static class Other implements Runnable {
        public void run() { sum += 2; }
    }

    static void lambdas(int times) {
        IntUnaryOperator plus = x -> x + 1, twice = x -> 2 * x;
        for (int i = 0; i < times; i++) sum += plus.applyAsInt(i) + twice.applyAsInt(i);
    }

    // An overload of the same name, and two lambdas in one line.
    static void lambdas(long times) {
        IntBinaryOperator add = (x, y) -> x + y; IntSupplier three = () -> 3;
        for (int i = 0; i < times; i++) sum += add.applyAsInt(i, three.getAsInt());
    }

    static void references() {
        IntUnaryOperator absolute = Math::abs, again = Math::abs;
        sum += absolute.applyAsInt(-5) + again.applyAsInt(-6) + again.applyAsInt(-7);
    }

    // The same class twice and another one, all defined at one call site.
    static void defined() throws Exception {
        for (Class<?> c : new Class<?>[] {Plug.class, Plug.class, Other.class}) {
            byte[] bytes = HiddenOrder.class.getResourceAsStream(c.getName() + ".class").readAllBytes();
            MethodHandles.Lookup made = MethodHandles.lookup().defineHiddenClass(bytes, true);
            var maker = made.lookupClass().getDeclaredConstructor();
            maker.setAccessible(true);
            ((Runnable) maker.newInstance()).run();
        }
    }

    static void handles() throws Throwable {
        MethodHandle max = MethodHandles.lookup().findStatic(Math.class, "max", MethodType.methodType(int.class, int.class, int.class));
        MethodHandle chosen = MethodHandles.guardWithTest(
            MethodHandles.lookup().findStatic(HiddenOrder.class, "odd", MethodType.methodType(boolean.class, int.class)),
            MethodHandles.insertArguments(max, 1, 100), MethodHandles.identity(int.class));
        for (int i = 0; i < 200; i++) sum += (int) chosen.invokeExact(i);
    }

    static boolean odd(int n) { return n % 2 == 1; }

    static void texts() {
        String text = "x" + sum + 'c' + 2L;
        sum += (text + text + sum).length() % 2;
    }

    public static void main(String[] args) throws Throwable {
        for (String part : args) {
            switch (part) {
            case "lambdas" -> lambdas(10);
            case "overloaded" -> lambdas(20L);
            case "references" -> references();
            case "defined" -> defined();
            case "handles" -> handles();
            case "texts" -> texts();
            default -> throw new IllegalArgumentException(part);
            }
        }
        System.out.println(sum > 0);
    }
}
