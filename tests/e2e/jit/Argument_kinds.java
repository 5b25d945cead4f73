// Arguments and results of all kinds, more than there are registers, from compiled code and the class library, with
// calls that loop, recurse, throw and return void. Hidden arguments of a calling convention must not interfere.
import java.lang.invoke.*;
import java.lang.reflect.*;
import java.util.*;

public class Argument_kinds {
    static int turns;

    static int none() { turns++; return 7; }
    static void nothing(int a) { turns += a; }
    static int one(int a) { return a * 3 + none(); }
    static long two(int a, long b) { return a + b * 5; }
    static Object three(int a, Object b, String c) { return a + ":" + b + ":" + c; }
    static float floats(float a, double b, float c) { return a - (float) b * c; }
    static double mixed(float a, int b, double c, long d, float e, Object f, double g, int h) {
        return a + b * c - d * e + f.hashCode() % 100 + g * h;
    }
    static long ints(int a, int b, int c, int d, int e, int f, int g, int h) {
        return a + 2L * b + 3L * c + 4L * d + 5L * e + 6L * f + 7L * g + 8L * h;
    }
    static double doubles(double a, double b, double c, double d, double e, double f, double g, double h, double i, double j) {
        return a + 2 * b + 3 * c + 4 * d + 5 * e + 6 * f + 7 * g + 8 * h + 9 * i + 10 * j;
    }
    static String all(byte a, boolean b, short c, char d, int e, long f, float g, double h, Object i, int[] j, double k, long l,
                      double m, float n, double o, double p, double q, double r, int s) {
        return a + " " + b + " " + c + " " + d + " " + e + " " + f + " " + g + " " + h + " " + i + " " + j[0] + " " + k + " " + l + " "
             + m + " " + n + " " + o + " " + p + " " + q + " " + r + " " + s;
    }

    // Loops give the code checks; the loops recurse.
    static long deep(int n, long a, double b, Object c, int d, int e, int f, int g) {
        long sum = a + (long) b + d - e + f - g;
        for (int i = 0; i < n; i++) sum = sum * 31 + deep(n - 1 - i, sum, i, c, g, f, e, d) + c.toString().length();
        return sum;
    }
    static double half(double x, int n) {
        if (n == 0) return x;
        double sum = 0;
        for (int i = 0; i < 3; i++) sum += half(x / 2, n - 1);
        return sum;
    }
    static int thrown(int a, float b, int c, int d, double e, long f, int g, int h, int i) {
        if (a == 0) throw new IllegalStateException(b + "," + c + "," + d + "," + e + "," + f + "," + g + "," + h + "," + i);
        try {
            return thrown(a - 1, b + 1, c, d, e + 1, f, g, h + 1, i) + 1;
        } finally {
            turns++;
        }
    }
    static synchronized long locked(int a, long b, double c, int d) { return a == 0 ? b : locked(a - 1, b + d, c, d) + (long) c; }

    interface Shape { double area(int a, float b, long c, int d, double e); }
    record Flat(int side) implements Shape {
        public double area(int a, float b, long c, int d, double e) { return side + a * b - c + d * e; }
    }
    record Round(double radius) implements Shape {
        public double area(int a, float b, long c, int d, double e) { return radius * a - b + c * d - e; }
    }
    interface Both extends Comparable<Both> { int value(); default int compareTo(Both o) { return Integer.compare(value(), o.value()); } }

    static void calls(int k) {
        Shape[] shapes = {new Flat(k), new Round(k * 0.5), (a, b, c, d, e) -> a + b + c + d + e + k};
        double sum = 0;
        for (Shape s : shapes) sum += s.area(k, k + 0.5f, k * 3L, k - 1, k * 0.25);
        nothing(k);
        System.out.println(one(k) + " " + two(k, k * 10L) + " " + three(k, "x", null) + " " + floats(k, 0.5, k) + " "
            + mixed(1, k, 2, k, 3, "abc", 4, k) + " " + ints(1, 2, k, 4, 5, k, 7, 8) + " " + doubles(1, 2, 3, k, 5, 6, 7, 8, 9, k) + " " + sum);
        System.out.println(all((byte) -k, k % 2 == 0, (short) -k, (char) ('a' + k), k, -k, k, k, "o", new int[]{k}, 1, 2, 3, 4, 5, 6, 7, 8, -9));
        System.out.println(deep(5, k, k, "four", 1, 2, 3, k) + " " + half(k, 6) + " " + locked(5, k, 2.5, 3));
        try {
            thrown(k, 1, 2, 3, 4, 5, 6, 7, 8);
        } catch (IllegalStateException e) {
            System.out.println(e.getMessage() + " " + turns);
        }
    }

    // Called through the class library, which may be interpreted.
    static void indirect(int k) throws Throwable {
        for (Method m : Argument_kinds.class.getDeclaredMethods()) {
            if (!m.getName().equals("all") && !m.getName().equals("ints") && !m.getName().equals("doubles") && !m.getName().equals("deep")) continue;
            Object[] args = new Object[m.getParameterCount()];
            for (int i = 0; i < args.length; i++) args[i] = argument(m.getParameterTypes()[i], i + k);
            turns += m.invoke(null, args).toString().hashCode() % 1000;
        }
        MethodHandle h = MethodHandles.lookup().findStatic(Argument_kinds.class, "mixed", MethodType.methodType(double.class,
            float.class, int.class, double.class, long.class, float.class, Object.class, double.class, int.class));
        System.out.println((double) h.invokeExact(1f, k, 2.0, 3L, 4f, (Object) "x", 5.0, 6) + " " + h.invokeWithArguments(1f, k, 2.0, 3L, 4f, "x", 5.0, 6));
        MethodHandle dropped = MethodHandles.permuteArguments(h, h.type(), 0, 7, 2, 3, 4, 5, 6, 1);
        System.out.println((double) dropped.invokeExact(1f, k, 2.0, 3L, 4f, (Object) "x", 5.0, 6) + " " + turns);
        Both[] values = new Both[20];
        for (int i = 0; i < values.length; i++) {
            int v = i * 7 % 20 + k;
            values[i] = () -> v;
        }
        Arrays.sort(values);
        StringBuilder line = new StringBuilder();
        for (Both b : values) line.append(b.value()).append(' ');
        System.out.println(line);
    }
    static Object argument(Class<?> type, int i) {
        if (type == int.class) return i % 4;
        if (type == long.class) return (long) i;
        if (type == float.class) return (float) i;
        if (type == double.class) return (double) i;
        if (type == byte.class) return (byte) i;
        if (type == short.class) return (short) i;
        if (type == char.class) return (char) ('a' + i);
        if (type == boolean.class) return i % 2 == 0;
        return type == int[].class ? new int[]{i} : "object " + i;
    }

    public static void main(String[] args) throws Throwable {
        for (int k = 0; k < 6; k++) {
            calls(k);
            indirect(k);
        }
    }
}
