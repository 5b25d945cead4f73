// Records: accessors, equals, hashCode, toString, compact constructors, nesting, generics, statics.
import java.util.*;

public class Records_members {
    record Point(int x, int y) {
        static final Point ORIGIN = new Point(0, 0);
        Point { if (x < -1000) throw new IllegalArgumentException("x=" + x); }
        Point(int both) { this(both, both); }
        double length() { return Math.sqrt((double) x * x + (double) y * y); }
    }
    record All(boolean z, byte b, short s, char c, int i, long l, float f, double d, String t, int[] a) { }
    record Empty() { }
    record Box<T extends Comparable<T>>(T value) implements Comparable<Box<T>> {
        public int compareTo(Box<T> o) { return value.compareTo(o.value); }
    }
    record Name(String first, String last) {
        @Override public String first() { return first.toUpperCase(); }
        @Override public String toString() { return first() + "." + last; }
    }
    record Varied(int... xs) { int sum() { int s = 0; for (int x : xs) s += x; return s; } }
    record Tree(Tree left, Tree right, int v) { int size() { return 1 + (left == null ? 0 : left.size()) + (right == null ? 0 : right.size()); } }

    public static void main(String[] args) {
        Point p = new Point(3, 4);
        System.out.println(p + " " + p.x() + " " + p.length() + " " + p.equals(new Point(3, 4)) + " " + p.equals(null) + " " + new Point(7));
        System.out.println(p.hashCode() + " " + Point.ORIGIN.hashCode() + " " + new Empty() + " " + new Empty().hashCode() + " " + new Empty().equals(new Empty()));
        try {
            new Point(-1001, 0);
        } catch (IllegalArgumentException e) {
            System.out.println(e.getMessage());
        }
        int[] arr = {1};
        All a = new All(true, (byte) 1, (short) 2, 'c', 4, 5L, 6f, 7d, "t", arr);
        All b = new All(true, (byte) 1, (short) 2, 'c', 4, 5L, 6f, 7d, "t", arr);
        System.out.println(a.equals(b) + " " + (a.hashCode() == b.hashCode()) + " " + a.toString().startsWith("All[z=true, b=1, s=2, c=c, i=4, l=5, f=6.0, d=7.0, t=t, a=[I@"));
        System.out.println(new All(true, (byte) 1, (short) 2, 'c', 4, 5L, -0f, 7d, "t", arr).equals(new All(true, (byte) 1, (short) 2, 'c', 4, 5L, 0f, 7d, "t", arr)));
        System.out.println(new All(true, (byte) 1, (short) 2, 'c', 4, 5L, 0f, Double.NaN, null, null).equals(new All(true, (byte) 1, (short) 2, 'c', 4, 5L, 0f, Double.NaN, null, null)));
        System.out.println(new Box<>(5).compareTo(new Box<>(6)) + " " + new Box<>("k"));
        System.out.println(new Name("ada", "l") + " " + new Name("ada", "l").equals(new Name("ada", "l")));
        System.out.println(new Varied(1, 2, 3).sum() + " " + new Varied().sum());
        Tree t = new Tree(new Tree(null, null, 1), new Tree(null, new Tree(null, null, 3), 2), 0);
        System.out.println(t.size() + " " + t);
        Map<Point, String> m = new HashMap<>();
        for (int i = 0; i < 20; i++) m.put(new Point(i % 5, i % 3), "v" + i);
        System.out.println(m.size() + " " + m.get(new Point(4, 1)));
        record Local(String k, long v) { }
        List<Local> ls = new ArrayList<>();
        for (int i = 0; i < 5; i++) ls.add(new Local("k" + (i * 3 % 5), i));
        ls.sort(Comparator.comparing(Local::k).reversed());
        System.out.println(ls);
    }
}
