// Classes loaded while compiled code assumes their absence: subclasses that override a directly called method, also
// from within such a call.
public class Late_classes {
    static class Shape {
        int area(int x) { return x + 1; }
        Shape next(int i) { return this; }
    }
    static class Late extends Shape {
        @Override int area(int x) { return -x; }
    }
    static class Changing extends Shape {
        final int when;
        Changing(int when) { this.when = when; }
        @Override Shape next(int i) { return i == when ? make() : this; }
        static Shape make() {
            try {
                return (Shape) Class.forName("Late_classes$Late").getDeclaredConstructor().newInstance();
            } catch (ReflectiveOperationException e) {
                throw new AssertionError(e);
            }
        }
    }
    abstract static class Step {
        abstract long apply(long x);
        long twice(long x) { return apply(apply(x)); }
    }
    static class Add extends Step {
        long apply(long x) { return x + 3; }
    }
    static class Twist extends Step {
        long apply(long x) { return x ^ 0x55; }
    }

    static long sum(Shape s, int n) {
        long sum = 0;
        for (int i = 0; i < n; i++) {
            s = s.next(i);
            sum += s.area(i);
        }
        return sum;
    }

    static long run(Step s, int n) {
        long x = 1;
        for (int i = 0; i < n; i++) x = s.twice(x) & 0xffffff;
        return x;
    }

    static int depth(Shape s, int n) {
        if (n == 0) return s.next(n).area(5);
        return depth(s.next(n), n - 1) + s.area(1);
    }

    static volatile Shape shared = new Shape();
    static volatile long spun;

    // Ends when it meets the other class.
    static int spin() {
        int area, count = 0;
        do {
            area = shared.area(2);
            spun = count++;
        } while (area > 0);
        return area;
    }

    public static void main(String[] args) throws Exception {
        long total = 0;
        for (int i = 0; i < 40; i++) total += sum(new Shape(), 2000);
        System.out.println(total);
        for (int i = 0; i < 20000; i++) total += depth(new Shape(), 3);
        System.out.println(total);
        Thread spinner = new Thread(() -> System.out.println("met " + spin()));
        spinner.start();
        while (spun < 100_000) Thread.sleep(1);
        System.out.println(sum(new Changing(50_000), 100_000));
        shared = Changing.make();
        spinner.join();
        System.out.println(depth(new Changing(7), 12));
        System.out.println(run(new Add(), 50_000));
        System.out.println(run(new Twist(), 50_001));
        System.out.println(run(new Add(), 1000));
    }
}
