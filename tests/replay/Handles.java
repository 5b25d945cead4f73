import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import java.util.ArrayList;
import java.util.List;
import java.util.function.BiFunction;
import java.util.function.Function;
import java.util.function.IntUnaryOperator;

// Hot lambdas, method handles and string concatenation: most of the compiled code belongs to hidden classes.
public class Handles {
    interface Shape { double area(); }
    record Square(double side) implements Shape { public double area() { return side * side; } }
    record Circle(double r) implements Shape { public double area() { return 3 * r * r; } }

    static int twice(int x) { return 2 * x; }

    static long handles(int rounds) throws Throwable {
        MethodHandle twice = MethodHandles.lookup().findStatic(
            Handles.class, "twice", MethodType.methodType(int.class, int.class));
        MethodHandle both = MethodHandles.filterReturnValue(twice, twice);
        long sum = 0;
        for (int i = 0; i < rounds; i++) sum += (int) both.invokeExact(i);
        return sum;
    }

    static long lambdas(int rounds) {
        IntUnaryOperator plus = x -> x + 1, times = x -> x * 3;
        IntUnaryOperator all = plus.andThen(times).compose(plus);
        BiFunction<Integer, Integer, Integer> add = Integer::sum;
        Function<Integer, Integer> half = x -> x / 2;
        long sum = 0;
        for (int i = 0; i < rounds; i++) sum += all.applyAsInt(i) + add.andThen(half).apply(i, 7);
        return sum;
    }

    static double shapes(int rounds) {
        List<Shape> list = new ArrayList<>();
        for (int i = 0; i < rounds; i++) list.add(i % 5 == 0 ? new Circle(i) : new Square(i));
        double sum = 0;
        for (Shape s : list) sum += s.area();
        return sum;
    }

    static int text(int rounds) {
        int hash = 0;
        for (int i = 0; i < rounds; i++) hash = hash * 31 + ("n" + i + ':' + (i * 0.5)).hashCode();
        return hash;
    }

    public static void main(String[] args) throws Throwable {
        int rounds = Integer.parseInt(args[0]);
        for (int i = 0; i < 3; i++)
            System.out.println(handles(rounds) + " " + lambdas(rounds) + " " + shapes(rounds) + " "
                               + text(rounds / 10));
    }
}
