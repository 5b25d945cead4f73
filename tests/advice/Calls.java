/** Calls whose targets and sizes a profile knows more about than the compiler does. */
public final class Calls {
    abstract static class Shape {
        int area(int scale) { return scale; }
        String name() { return "shape"; }
    }

    static final class Square extends Shape {
        int side = 3, unused;
        @Override int area(int scale) { return side * side * scale; }
    }

    static final class Circle extends Shape {
        int radius = 2;
        @Override int area(int scale) { return 3 * radius * radius * scale + 1; }
    }

    interface Step {
        int next(int x);
    }

    static class One implements Step {
        public int next(int x) { return x + 1; }
    }

    static final class Heir extends One { }

    static final class Two implements Step {
        public int next(int x) { return x * 2 + 1; }
    }

    private Calls() { }

    static int work(Shape s, int scale) { return s.area(scale) + 1; }

    static int steps(Step s, int x) { return s.next(x) ^ 5; }

    static int tiny(int x) { return x + 1; }

    static int small(int x) { return ((x * 31 + 7) ^ (x >>> 3)) + (x << 2) - 9; }

    static int large(int x) {
        int y = x;
        y = y * 31 + 7; y ^= y >>> 3; y += x; y = y * 17 + 5; y ^= y >>> 5; y -= x; y = y * 13 + 3; y ^= y >>> 7; y += 3 * x;
        y = y * 11 + 9; y ^= y >>> 2; y += x; y = y * 37 + 1; y ^= y >>> 9; y -= x; y = y * 41 + 2; y ^= y >>> 4; y += 5 * x;
        return y;
    }

    static int mixed(int x) { return tiny(x) + small(x) + large(x); }

    public static void main(String[] args) {
        Shape[] shapes = {new Square(), new Circle(), new Square()};
        Step[] steps = {new One(), new Two(), new Heir()};
        int sum = 0;
        for (int i = 0; i < 20000; i++) {
            sum += work(shapes[i % 3], i) + steps(steps[i % 3], i) + mixed(i);
            if (shapes[i % 3].name().length() != 5) throw new AssertionError();
        }
        System.out.println(sum);
    }
}
