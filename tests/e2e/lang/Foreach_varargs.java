// Enhanced for over arrays and iterables, varargs overloads, evaluation order.
import java.util.*;

public class Foreach_varargs {
    static String f(Object o) { return "object"; }
    static String f(Object... os) { return "varargs" + (os == null ? "null" : os.length); }
    static String f(int i) { return "int"; }
    static String f(long l) { return "long"; }
    static String f(Integer i) { return "Integer"; }
    static String f(int a, int b) { return "two ints"; }
    static String g(String first, int... rest) { return first + Arrays.toString(rest); }
    static String h(char c) { return "char"; }
    static String h(int i) { return "int"; }
    static String k(double d) { return "double"; }
    static String k(Object o) { return "object"; }

    static int[] calls = {0};
    static int[] array() { calls[0]++; return new int[]{3, 1, 2}; }

    static class Range implements Iterable<Integer> {
        final int n;
        Range(int n) { this.n = n; }
        public Iterator<Integer> iterator() {
            return new Iterator<>() {
                int i;
                public boolean hasNext() { return i < n; }
                public Integer next() { return i++; }
            };
        }
    }

    static String order = "";
    static int o(int v) { order += v; return v; }

    public static void main(String[] args) {
        byte b = 1;
        short sh = 2;
        System.out.println(f(b) + f(sh) + f('c') + f(1) + f(1L) + f(1f) + f((Integer) 1) + f("s") + f() + f(1, 2) + f(1, 2, 3) + f((Object[]) null));
        System.out.println(f(new int[]{1, 2}) + f(new Integer[]{1, 2}) + f((Object) new String[]{"x"}));
        System.out.println(g("a") + g("b", 1) + g("c", 1, 2) + g("d", new int[]{7, 8, 9}));
        System.out.println(h('x') + h((char) 1 + 1) + k(5) + k('c') + k(1L) + k(Integer.valueOf(5)));
        int total = 0;
        for (int x : array()) total = total * 10 + x;
        System.out.println(total + " " + calls[0]);
        for (Integer i : new Range(4)) System.out.print(i);
        for (char c : "text".toCharArray()) System.out.print((int) c + " ");
        for (long l : new long[]{1L << 40}) System.out.print(l);
        for (int[] row : new int[][]{{1}, {2, 3}}) for (double d : row) System.out.print(" " + d);
        System.out.println();
        int r = o(1) + o(2) * o(3) - (o(4) > 0 ? o(5) : o(6));
        int[] a = new int[10];
        a[o(7)] += o(8) + (a[o(7)] = o(9));
        System.out.println(r + " " + order + " " + a[7]);
        try {
            for (int x : (int[]) null) System.out.println(x);
        } catch (NullPointerException e) {
            System.out.println("NPE");
        }
        List<Integer> list = new ArrayList<>(List.of(1, 2, 3));
        try {
            for (Integer i : list) list.remove(i);
        } catch (ConcurrentModificationException e) {
            System.out.println("CME " + list);
        }
        StringBuilder sb = new StringBuilder();
        for (Map.Entry<String, Integer> e : new TreeMap<>(Map.of("b", 2, "a", 1)).entrySet()) sb.append(e.getKey()).append(e.getValue());
        System.out.println(sb);
    }
}
