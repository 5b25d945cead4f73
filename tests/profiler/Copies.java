// Code that deoptimises for samples, or has a checking and a duplicated version (jit/emit/emit_versions.c): nested
// loops, inlined calls within expressions, guarded calls, handlers, monitors, switches, recursion. Every run does the
// same; tests/run/sampling.py compares its profiles.
public class Copies {
    interface Shape { double area(int k); }

    static class Square implements Shape {
        double side;
        Square(double side) { this.side = side; }
        public double area(int k) { return side * side + k; }
    }

    static class Circle implements Shape {
        double radius;
        Circle(double radius) { this.radius = radius; }
        public double area(int k) {
            double sum = 0;
            for (int i = 0; i < k % 5; i++) sum += radius;
            return sum;
        }
    }

    int count;

    static int twist(int i) { return i * 31 + 7; }
    static int larger(int a, int b) { return a > b ? a : b; }
    synchronized int locked(int x) { return x + count++; }

    static int divided(int x) {
        try {
            return 100 / (x % 5);
        } catch (ArithmeticException e) {
            return -1;
        }
    }

    static int halves(int a, int b) {
        int sum = 0;
        while (a > 0) {
            sum += divided(a) * b;
            a >>= 2;
        }
        return sum;
    }

    static int skips(int n) {
        int s = 0;
        for (int i = 0; i < n; i++) {
            s += halves(i, s);
            if ((i & 7) == 3) continue;
            s ^= twist(s);
        }
        return s;
    }

    static long fib(int n) { return n < 2 ? n : fib(n - 1) + fib(n - 2); }

    static int fails(int i) {
        if (i % 3 == 0) throw new IllegalStateException("x" + i);
        return i;
    }

    static int catches(int n) {
        int c = 0;
        for (int i = 0; i < n; i++) {
            try {
                c += fails(i);
            } catch (IllegalStateException e) {
                c -= e.getMessage().length();
            } finally {
                c ^= 1;
            }
        }
        return c;
    }

    static int nested(int n) {
        int c = 0;
        for (int i = 0; i < n; i++)
            for (int j = 0; j < i % 7; j++) c += larger(i, j) + Math.max(c, i) + Integer.bitCount(c);
        return c;
    }

    static int sum(int[] a) {
        int s = 0;
        for (int i = 0; i < a.length; i++) s += a[i];
        return s;
    }

    static int choose(int i) {
        switch (i % 5) {
            case 0: return twist(i);
            case 1: return 3;
            case 3: return divided(i);
            default: return i;
        }
    }

    public static void main(String[] args) {
        int s = 0;
        double d = 0;
        Copies t = new Copies();
        Shape[] shapes = {new Square(2), new Circle(3), new Square(5)};
        int[] numbers = new int[1000];
        for (int i = 0; i < 1500; i++) {
            s += skips(i % 50);
            d += shapes[i % 3].area(i);
            s += t.locked(i) + twist(larger(i, choose(i)));
            numbers[i % numbers.length] = s;
            synchronized (t) {
                s += larger(i, s);
            }
        }
        for (int i = 0; i < 2000; i++) d += shapes[0].area(i);
        for (int i = 0; i < 20; i++) s += sum(numbers);
        s += (int) fib(18) + catches(2000) + nested(1500);
        System.out.println(s + " " + d);
    }
}
