// Comparators: combinators, sort stability with callbacks, contract violations.
import java.util.*;

public class Comparator_combinators {
    record R(String s, Integer i, double d) { }

    public static void main(String[] args) {
        List<R> l = new ArrayList<>();
        Random r = new Random(11);
        for (int k = 0; k < 60; k++) l.add(new R("s" + r.nextInt(4), k % 7 == 0 ? null : r.nextInt(5), r.nextInt(3) / 2.0));
        l.sort(Comparator.comparing(R::s).thenComparing(R::i, Comparator.nullsLast(Comparator.reverseOrder())).thenComparingDouble(R::d));
        StringBuilder b = new StringBuilder();
        for (R x : l) b.append(x.s()).append(x.i()).append(x.d()).append(' ');
        System.out.println(b);
        int[] calls = {0};
        List<Integer> n = new ArrayList<>();
        for (int k = 0; k < 200; k++) n.add(k * 7919 % 211);
        n.sort((x, y) -> { calls[0]++; return x - y; });
        System.out.println(n.get(0) + " " + n.get(199) + " " + calls[0]);
        calls[0] = 0;
        n.sort((x, y) -> { calls[0]++; return x - y; });
        System.out.println(calls[0]);
        Integer[] a = new Integer[300];
        for (int k = 0; k < a.length; k++) a[k] = k;
        Random rr = new Random(2);
        try {
            for (int t = 0; t < 30; t++) Arrays.sort(a, (x, y) -> rr.nextInt(3) - 1);
            System.out.println("not noticed");
        } catch (IllegalArgumentException e) {
            System.out.println(e.getMessage());
        }
        List<String> w = new ArrayList<>(List.of("delta", "Alpha", "charlie", "bravo"));
        w.sort(String.CASE_INSENSITIVE_ORDER);
        System.out.println(w);
        w.sort(Comparator.comparingInt(String::length).reversed().thenComparing(Comparator.naturalOrder()));
        System.out.println(w);
        w.sort(Collections.reverseOrder(String::compareTo));
        System.out.println(w + " " + Map.Entry.<String, Integer>comparingByValue().compare(Map.entry("a", 1), Map.entry("b", 2)));
    }
}
