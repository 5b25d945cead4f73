// TreeMap and TreeSet: navigation, sub-maps, descending views, comparators, pollers; PriorityQueue order.
import java.util.*;

public class Tree_sorted {
    public static void main(String[] args) {
        TreeMap<Integer, String> t = new TreeMap<>();
        for (int i = 0; i < 100; i++) t.put(i * 61 % 101, "v" + i);
        System.out.println(t.firstKey() + " " + t.lastKey() + " " + t.floorKey(50) + " " + t.lowerKey(0) + " " + t.higherEntry(99) + " " + t.ceilingKey(101) + " " + t.headMap(5) + " " + t.tailMap(97, false) + " " + t.subMap(10, true, 13, true).descendingMap());
        SortedMap<Integer, String> sub = t.subMap(20, 25);
        sub.clear();
        try {
            sub.put(99, "x");
        } catch (IllegalArgumentException e) {
            System.out.println(e.getMessage());
        }
        System.out.println(t.size() + " " + t.pollFirstEntry() + t.pollLastEntry() + " " + t.descendingKeySet().first() + " " + t.navigableKeySet().lower(30));
        Iterator<Integer> it = t.keySet().iterator();
        while (it.hasNext()) if (it.next() % 2 == 0) it.remove();
        long h = 0;
        for (int k : t.keySet()) h = h * 31 + k;
        System.out.println(t.size() + " " + h);
        TreeSet<String> s = new TreeSet<>(Comparator.comparing(String::length).thenComparing(Comparator.reverseOrder()));
        s.addAll(List.of("pear", "fig", "apple", "kiwi", "date", "plum", "banana", "fig"));
        System.out.println(s + " " + s.headSet("kiwi") + " " + s.ceiling("zzzz") + " " + s.descendingSet());
        try {
            new TreeSet<Object>().add(new Object());
        } catch (ClassCastException e) {
            System.out.println(e.getMessage());
        }
        try {
            new TreeMap<String, String>().put(null, "");
        } catch (NullPointerException e) {
            System.out.println("NPE");
        }
        PriorityQueue<int[]> q = new PriorityQueue<>((a, b) -> a[0] != b[0] ? Integer.compare(a[0], b[0]) : Integer.compare(b[1], a[1]));
        for (int i = 0; i < 60; i++) q.add(new int[]{i * 17 % 10, i});
        StringBuilder b = new StringBuilder();
        while (!q.isEmpty()) { int[] x = q.poll(); b.append(x[0]).append(':').append(x[1]).append(' '); }
        System.out.println(b);
        PriorityQueue<Integer> p = new PriorityQueue<>(List.of(5, 3, 8, 1, 9, 2));
        p.remove(8);
        System.out.println(p + " " + p.peek() + " " + p.contains(9));
    }
}
