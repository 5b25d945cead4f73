// HashMap, LinkedHashMap, IdentityHashMap, WeakHashMap API; resizing; tree bins; compute and merge.
import java.util.*;

public class Hash_maps {
    static final class Bad implements Comparable<Bad> {
        final int v;
        Bad(int v) { this.v = v; }
        @Override public int hashCode() { return v % 3; }
        @Override public boolean equals(Object o) { return o instanceof Bad b && b.v == v; }
        @Override public int compareTo(Bad o) { return Integer.compare(v, o.v); }
        @Override public String toString() { return "B" + v; }
    }

    public static void main(String[] args) {
        Map<Integer, String> m = new HashMap<>();
        for (int i = 0; i < 500; i++) m.put(i * 37, "v" + i);
        for (int i = 0; i < 500; i += 3) m.remove(i * 37);
        long h = 0;
        for (Map.Entry<Integer, String> e : m.entrySet()) h = h * 31 + e.getKey() + e.getValue().hashCode();
        System.out.println(m.size() + " " + h + " " + m.get(37) + " " + m.get(0) + " " + m.getOrDefault(5, "none") + " " + m.containsValue("v4"));
        Map<Bad, Integer> bins = new HashMap<>();
        for (int i = 0; i < 100; i++) bins.merge(new Bad(i % 60), 1, Integer::sum);
        int s = 0;
        for (int i = 0; i < 60; i++) s = s * 3 + bins.get(new Bad(i));
        System.out.println(bins.size() + " " + s + " " + bins.containsKey(new Bad(99)));
        for (int i = 0; i < 58; i++) bins.remove(new Bad(i));
        System.out.println(new TreeMap<>(bins));
        Map<String, Integer> l = new LinkedHashMap<>(16, 0.75f, true) {
            @Override protected boolean removeEldestEntry(Map.Entry<String, Integer> e) { return size() > 4; }
        };
        for (String k : "a b c a d e a f".split(" ")) l.merge(k, 1, Integer::sum);
        System.out.println(l);
        Map<String, List<Integer>> g = new TreeMap<>();
        for (int i = 0; i < 10; i++) g.computeIfAbsent("k" + i % 3, k -> new ArrayList<>()).add(i);
        g.computeIfPresent("k1", (k, v) -> v.size() > 2 ? null : v);
        g.compute("k9", (k, v) -> v == null ? List.of(9) : v);
        g.putIfAbsent("k0", List.of());
        g.replaceAll((k, v) -> v.subList(0, 1));
        System.out.println(g);
        Map<String, String> id = new IdentityHashMap<>();
        id.put(new String("x"), "1");
        id.put(new String("x"), "2");
        System.out.println(id.size() + " " + id.containsKey("x"));
        Map<Object, Object> nulls = new HashMap<>();
        nulls.put(null, null);
        System.out.println(nulls + " " + nulls.get(null) + " " + nulls.containsKey(null) + " " + nulls.size());
        try {
            for (Integer k : m.keySet()) if (k > 100) m.put(-k, "x");
        } catch (ConcurrentModificationException e) {
            System.out.println("CME");
        }
        m.keySet().removeIf(k -> k > 1000);
        m.values().removeIf(v -> v.endsWith("1"));
        System.out.println(m.size() + " " + m.equals(new TreeMap<>(m)) + " " + (m.hashCode() == new TreeMap<>(m).hashCode()));
        System.out.println(Map.of("k", 1) + " " + Map.entry("a", 2) + " " + new AbstractMap.SimpleEntry<>("x", 3) + " " + new TreeMap<>(Map.of(1, 2, 3, 4, 5, 6)));
        try {
            Map.of("a", 1, "a", 2);
        } catch (IllegalArgumentException e) {
            System.out.println(e.getMessage());
        }
        Hashtable<String, Integer> t = new Hashtable<>(Map.of("one", 1));
        Enumeration<String> en = t.keys();
        System.out.println(en.nextElement() + en.hasMoreElements() + t);
        WeakHashMap<Object, String> w = new WeakHashMap<>();
        w.put("strong", "v");
        System.out.println(w);
    }
}
