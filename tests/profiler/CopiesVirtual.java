// Scalar-replaced objects that live across checks. They are materialised when code deoptimises for a sample, which
// changes them, replaces them, or keeps them in several locals or in fields of each other. Also branches and calls that
// take a new direction after the code was compiled for the old one.
public class CopiesVirtual {
    static final class Point {
        final double x, y;
        Point(double x, double y) { this.x = x; this.y = y; }
        Point plus(Point q) { return new Point(x + q.x, y + q.y); }
        Point times(double d) { return new Point(x * d, y * d); }
    }
    static final class Cell {
        int value;
        Cell next;
        Cell(int value) { this.value = value; }
        void add(int n) { value += n; }
    }
    static final class Pair {
        Cell cell;
        Point point;
        Pair(Cell cell, Point point) { this.cell = cell; this.point = point; }
    }
    static abstract class Shape { abstract int area(int n); }
    static final class Square extends Shape { int area(int n) { return n * n; } }
    static final class Line extends Shape { int area(int n) { return n & 1; } }
    static final class Wide extends Shape { int area(int n) { return 3 * n; } }
    static final class Late extends Shape { int area(int n) { return -n; } }

    static Cell leak;

    static double another(int n) {
        Point p = new Point(0, 0), d = new Point(1, 2);
        for (int i = 0; i < n; i++) {
            p = p.plus(d.times(0.5));
            if ((i & 7) == 0) d = new Point(d.y, d.x);
        }
        return p.x + 2 * p.y;
    }

    static int twoNames(int n) {
        Cell m = new Cell(3), k = m;
        for (int i = 0; i < n; i++) {
            m.add(i);
            if (i % 5 == 0) k.add(1);
        }
        return m.value + (m == k ? 1 : 0);
    }

    static int nested(int n) {
        Pair b = new Pair(new Cell(1), new Point(1, 2));
        for (int i = 0; i < n; i++) {
            for (int j = 0; j < 4; j++) {
                b.cell.add(j);
                b.point = b.point.plus(new Point(i, j));
            }
            if (i % 3 == 0) b.cell = new Cell(b.cell.value);
        }
        return b.cell.value + (int) b.point.x + (int) b.point.y;
    }

    static int escapes(int n) {
        int s = 0;
        Cell m = new Cell(0);
        for (int i = 0; i < n; i++) {
            m.add(i);
            if (i == 90) leak = m;
            if (i % 50 == 0) m = new Cell(i);
            s += m.value;
        }
        return s + (leak == null ? 0 : leak.value);
    }

    static int inner(Cell m, int n) {
        for (int i = 0; i < n; i++) m.add(i);
        return m.value;
    }

    static int inlined(int n) {
        int s = 0;
        for (int i = 0; i < n; i++) {
            Cell m = new Cell(i);
            s += inner(m, 5);
            s += inner(m, 3);
            s ^= m.value;
        }
        return s;
    }

    static int inEachOther(int n) {
        Cell h = new Cell(0);
        for (int i = 0; i < n; i++) {
            Cell x = new Cell(i);
            x.next = h.next;
            h.next = x;
            h.add(x.value);
        }
        return h.value + h.next.value;
    }

    static int never(int n, int limit, Shape[] shapes) {
        int s = 0;
        for (int i = 0; i < n; i++) {
            Cell m = new Cell(i);
            if (i > limit) m.add(1000);
            s += m.value + shapes[i % shapes.length].area(i);
        }
        return s;
    }

    public static void main(String[] args) {
        Shape[] shapes = {new Square(), new Line(), new Wide()}, late = {new Square(), new Line(), new Wide(), new Late()};
        long h = 0;
        for (int r = 0; r < 400; r++) {
            h = h * 31 + (long) another(20);
            h = h * 31 + twoNames(20);
            h = h * 31 + nested(6);
            h = h * 31 + escapes(100);
            h = h * 31 + inlined(5);
            h = h * 31 + inEachOther(10);
            h = h * 31 + never(30, r < 390 ? 1000 : 20, r < 380 ? shapes : late);
        }
        System.out.println(h);
    }
}
