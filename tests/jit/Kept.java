import java.util.ArrayList;
import java.util.List;
import java.util.function.IntUnaryOperator;

/** Uses all that the compiler has tables for: calls of all kinds, lambdas, locks, exceptions, vanishing objects, loops. */
public class Kept {
    static final int STEP = 7;

    interface Shape { int area(int scale); }
    record Square(int side) implements Shape { public int area(int scale) { return side * side * scale; } }
    record Bar(int length) implements Shape { public int area(int scale) { return length * scale; } }

    record Point(int x, int y) { Point plus(Point p) { return new Point(x + p.x, y + p.y); } }

    static int walk(int n) {
        Point p = new Point(0, 0);
        for (int i = 0; i < n; i++) p = p.plus(new Point(i, STEP));
        return p.x ^ p.y;
    }

    static synchronized int risky(int i) {
        try {
            if (i % 97 == 0) throw new IllegalStateException("at " + i);
            return i;
        } catch (IllegalStateException e) {
            return e.getMessage().length();
        }
    }

    static int areas(List<Shape> shapes) {
        int sum = 0;
        for (Shape s : shapes) sum += s.area(3);
        return sum;
    }

    static int apply(IntUnaryOperator f, int[] values) {
        int sum = 0;
        for (int i = 0; i < values.length; i++) sum += f.applyAsInt(values[i]);
        return sum;
    }

    public static void main(String[] args) throws Exception {
        List<Shape> shapes = new ArrayList<>();
        int[] values = new int[50];
        for (int i = 0; i < values.length; i++) {
            shapes.add(i % 3 == 0 ? new Square(i) : new Bar(i));
            values[i] = i * 31;
        }
        long sum = 0;
        StringBuilder text = new StringBuilder();
        for (int i = 0; i < 6000; i++) {
            int k = i;
            sum += walk(20) + risky(i) + areas(shapes) + apply(x -> x ^ k, values);
            if (i % 100 == 0) text.append(sum).append(' ');
        }
        System.out.println(sum + " " + text.toString().hashCode());
        if (args.length > 0) System.in.read();
    }
}
