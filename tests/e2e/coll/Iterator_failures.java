// Modification during iteration, wrappers that reject, write-through views, inconsistent comparators, immutables.
import java.util.*;
import java.util.function.*;
import java.util.stream.*;

public class Iterator_failures {
    static void t(String what, Supplier<Object> s) { try { System.out.println(what + ": " + s.get()); } catch (RuntimeException e) { System.out.println(what + ": " + e.getClass().getSimpleName() + " " + e.getMessage()); } }
    static <T> T mut(T c, Consumer<T> f) { f.accept(c); return c; }

    public static void main(String[] args) {
        t("list", () -> { List<Integer> l = new ArrayList<>(List.of(1, 2, 3)); for (Integer i : l) l.add(i); return l; });
        t("list last but one", () -> { List<Integer> l = new ArrayList<>(List.of(1, 2, 3)); for (Integer i : l) if (i == 2) l.remove(i); return l; });
        t("linked", () -> { List<Integer> l = new LinkedList<>(List.of(1, 2, 3)); for (Integer i : l) l.remove(i); return l; });
        t("map", () -> { Map<Integer, Integer> m = new HashMap<>(Map.of(1, 1, 2, 2)); for (Integer k : m.keySet()) m.put(k + 10, 0); return m; });
        t("tree", () -> { Map<Integer, Integer> m = new TreeMap<>(Map.of(1, 1, 2, 2)); for (Integer k : m.keySet()) m.remove(k); return m; });
        t("forEach", () -> { List<Integer> l = new ArrayList<>(List.of(1, 2)); l.forEach(x -> l.add(x)); return l; });
        t("stream", () -> { List<Integer> l = new ArrayList<>(List.of(1, 2)); return l.stream().peek(x -> l.add(x)).count() + "" + l.stream().map(x -> { l.add(x); return x; }).collect(Collectors.toList()); });
        t("computeIfAbsent", () -> new HashMap<Integer, Integer>() {{ computeIfAbsent(1, k -> { put(2, 2); return 1; }); }});
        t("concurrent recursive", () -> { var m = new java.util.concurrent.ConcurrentHashMap<Integer, Integer>(); return m.computeIfAbsent(1, k -> m.computeIfAbsent(1, j -> 2)); });
        t("iterator remove", () -> { Iterator<Integer> i = new ArrayList<>(List.of(1)).iterator(); i.remove(); return 0; });
        t("iterator end", () -> new ArrayList<>().iterator().next());
        t("list iterator", () -> { List<String> l = new ArrayList<>(List.of("a", "b")); ListIterator<String> i = l.listIterator(1); i.add("x"); i.previous(); i.set("y"); i.previous(); i.remove(); return l + " " + i.nextIndex(); });
        t("sublist", () -> { List<Integer> l = new ArrayList<>(List.of(1, 2, 3, 4, 5)), s = l.subList(1, 4); s.remove(0); s.add(9); s.subList(0, 1).clear(); l.set(1, 7); String r = l + " " + s; l.add(0); return r + s; });
        t("asList", () -> mut(Arrays.asList(1, 2), l -> l.add(3)));
        t("asList set", () -> { Integer[] a = {1, 2}; Arrays.asList(a).set(0, 9); return a[0]; });
        for (Consumer<Collection<Object>> f : List.<Consumer<Collection<Object>>>of(c -> c.add("x"), c -> c.contains(null), c -> c.remove("q"), c -> c.clear())) { t("immutable", () -> mut(new ArrayList<>(), c -> f.accept((Collection<Object>) (Collection<?>) List.of("a")))); t("unmodifiable", () -> mut(new ArrayList<>(), c -> f.accept(Collections.unmodifiableList(new ArrayList<Object>())))); t("empty", () -> mut(new ArrayList<>(), c -> f.accept(Collections.emptyList()))); }
        t("of null", () -> List.of(1, null));
        t("set dup", () -> Set.of(1, 1));
        t("map dup", () -> Map.of(1, 2, 1, 3));
        t("checked", () -> { List l = Collections.checkedList(new ArrayList<>(), String.class); l.add("s"); l.add(5); return l; });
        t("comparator", () -> { Integer[] a = new Random(1).ints(200, 0, 1000).boxed().toArray(Integer[]::new); Random r = new Random(2); Arrays.sort(a, (x, y) -> r.nextInt(3) - 1); return "sorted"; });
        t("not comparable", () -> new TreeSet<>(List.of(new Object())));
        t("mixed", () -> new TreeSet<Object>(List.of(1, "a")));
        t("tree null", () -> mut(new TreeMap<String, Integer>(), m -> m.put(null, 1)));
        t("view", () -> { NavigableMap<Integer, String> m = new TreeMap<>(Map.of(1, "a", 3, "c", 5, "e")); NavigableMap<Integer, String> v = m.subMap(2, true, 4, true).descendingMap(); v.put(4, "d"); return v + " " + m.headMap(3, true) + " " + m.floorKey(2) + m.higherKey(5) + v.firstKey() + " " + m.pollFirstEntry(); });
        t("view range", () -> mut(new TreeMap<>(Map.of(1, 1)).headMap(5), m -> m.put(7, 7)));
        t("entry", () -> { Map<String, Integer> m = new LinkedHashMap<>(Map.of("a", 1)); m.entrySet().iterator().next().setValue(5); m.values().removeIf(v -> v > 9); return m; });
        t("access order", () -> { var m = new LinkedHashMap<Integer, Integer>(16, 0.75f, true) { protected boolean removeEldestEntry(Map.Entry<Integer, Integer> e) { return size() > 3; } }; for (int i = 0; i < 4; i++) { m.put(i, i); m.get(1); } return m; });
        t("nCopies", () -> Collections.nCopies(3, "x") + "" + Collections.frequency(List.of(1, 2, 1), 1) + Collections.disjoint(List.of(1), List.of(2)));
    }
}
