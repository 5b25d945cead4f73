// Counts follow from the number of calls of round(). Of ten calls, area() sees six squares, three circles and a
// triangle; name() always sees a square. An odd number of rounds is rare, and its method large.
public class Shapes {
    abstract static class Shape {
        abstract int area();
        String name() { return "shape"; }
    }
    static class Square extends Shape {
        int area() { return 4; }
        String name() { return "square"; }
    }
    static class Circle extends Shape {
        int area() { return 3; }
    }
    static class Triangle extends Shape {
        int area() { return 1; }
    }
    interface Sink { void take(int n); }
    static class Total implements Sink {
        long sum;
        public void take(int n) { sum += n; }
    }
    static class Nothing implements Sink {
        public void take(int n) { }
    }

    static final Shape[] shapes = new Shape[10];
    static final Sink[] sinks = {new Total(), new Nothing()};
    static long letters;

    // Too large to be inlined unless it is known to be hot.
    static int large(int a) {
        int b = a * 3 + 1, c = b ^ a, d = c - b;
        b = a * 5 + 2; c = b ^ a + 1; d += c - b;
        b = a * 7 + 3; c = b ^ a + 2; d += c - b;
        b = a * 9 + 4; c = b ^ a + 3; d += c - b;
        b = a * 11 + 5; c = b ^ a + 4; d += c - b;
        return d;
    }

    static int rare(int a) { return a > 5 ? a * 2 + 1 : a * 3 - 1; }

    static void round(int i) {
        Shape s = shapes[i % 10];
        int area = s.area();
        sinks[0].take(large(area));
        letters += shapes[0].name().length();
        if (i < 0) letters += rare(i);
    }

    static void rounds(int from, int to) {
        for (int i = from; i < to; i++) round(i);
    }

    public static void main(String[] args) {
        for (int i = 0; i < 10; i++) shapes[i] = i < 6 ? new Square() : i < 9 ? new Circle() : new Triangle();
        round(-10 + 10);
        rare(3);
        sinks[1].take(rare(-1));
        for (int i = 0; i < 2000; i++) rounds(i * 10, i * 10 + 10);
        System.out.println(((Total) sinks[0]).sum + " " + letters);
    }
}
