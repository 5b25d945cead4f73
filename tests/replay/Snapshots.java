// Calls whose numbers follow from how often work() has been called: n times step at the first site, (n + 3) / 4 times at
// the second; of the receivers of area() a third are circles, and the others squares, which inherit it from the same class
// as tiles do.
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
        for (int i = 0; i < 400; i++) work(i);  // so that it becomes hot before its callers
        for (int i = 0; i < 1200; i++) rounds(i * 3, i * 3 + 3);
        System.out.println(total);
    }
}
