import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

// One thread, without randomness and clock: every run does the same work. Argument: the amount.
public class Whole {
    interface Shape { int area(); }
    record Square(int side) implements Shape { public int area() { return side * side; } }
    record Bar(int width, int height) implements Shape { public int area() { return width * height; } }

    static final Map<Integer, String> names = new HashMap<>();
    static long sum;

    static int depth(int n) { return n == 0 ? 0 : 1 + depth(n - 1); }

    static boolean safe(int[] columns, int row, int column) {
        for (int i = 0; i < row; i++) {
            int d = columns[i] - column;
            if (d == 0 || d == row - i || d == i - row) return false;
        }
        return true;
    }

    static int queens(int[] columns, int row) {
        if (row == columns.length) return 1;
        int count = 0;
        for (int c = 0; c < columns.length; c++)
            if (safe(columns, row, c)) {
                columns[row] = c;
                count += queens(columns, row + 1);
            }
        return count;
    }

    static void throwing(int n) {
        try {
            if (n % 3 == 0) throw new IllegalStateException("three");
            sum += n;
        } catch (IllegalStateException e) {
            sum -= e.getMessage().length();
        }
    }

    public static void main(String[] args) {
        int n = Integer.parseInt(args[0]);
        List<Shape> shapes = new ArrayList<>();
        Map<String, Integer> areas = new TreeMap<>();
        for (int i = 0; i < 200 * n; i++) {
            shapes.add(i % 5 == 0 ? new Square(i) : new Bar(i, 3));
            names.put(i, "name " + i % 17);
            throwing(i);
            switch (i % 4) {
                case 0 -> sum += depth(i % 50);
                case 1 -> sum ^= i;
                default -> sum++;
            }
        }
        for (Shape s : shapes) areas.merge(s.getClass().getSimpleName(), s.area(), Integer::sum);
        for (int i = 0; i < n; i++) sum += queens(new int[7], 0);
        System.out.println(sum + " " + areas + " " + names.get(3));
        System.exit(5);
    }
}
