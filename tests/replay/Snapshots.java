// Counts follow from the number n of calls of work(): n calls of step at the first site, (n + 3) / 4 at the
// second. A third of area()'s receivers are circles; the others are squares and tiles, which inherit it from one
// class.
public class Snapshots {
    interface Shape { int area(); }

    static class Rectangle implements Shape {
        public int area() { return 4; }
    }

    static class Square extends Rectangle { }

    static class Tile extends Rectangle { }

    static class Circle implements Shape {
        public int area() { return 3; }
    }

    static final Shape[] shapes = {new Square(), new Circle(), new Tile()};
    static int total;

    static int step(int i) { return i & 3; }

    static void work(int i) {
        total += step(i);
        if (i % 4 == 0) total += step(i + 1);
        total += shapes[i % 3].area();
    }

    static void rounds(int from, int to) {
        for (int i = from; i < to; i++) work(i);
    }

    public static void main(String[] args) {
        for (int i = 0; i < 400; i++) work(i);  // makes it hot before its callers
        for (int i = 0; i < 1200; i++) rounds(i * 3, i * 3 + 3);
        System.out.println(total);
    }
}
