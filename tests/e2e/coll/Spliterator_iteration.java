// Spliterators, iterators over views, collection equality contracts, custom collections from AbstractList.
import java.util.*;
import java.util.stream.*;

public class Spliterator_iteration {
    static class Squares extends AbstractList<Integer> implements RandomAccess {
        final int n;
        Squares(int n) { this.n = n; }
        @Override public Integer get(int i) { Objects.checkIndex(i, n); return i * i; }
        @Override public int size() { return n; }
    }

    static class Bag<T> extends AbstractCollection<T> {
        private final Map<T, Integer> counts = new TreeMap<>();
        @Override public boolean add(T t) { counts.merge(t, 1, Integer::sum); return true; }
        @Override public Iterator<T> iterator() {
            return counts.entrySet().stream().flatMap(e -> Collections.nCopies(e.getValue(), e.getKey()).stream()).iterator();
        }
        @Override public int size() { return counts.values().stream().mapToInt(x -> x).sum(); }
    }

    public static void main(String[] args) {
        Squares s = new Squares(6);
        System.out.println(s + " " + s.contains(16) + " " + s.indexOf(9) + " " + s.subList(2, 4) + " " + s.equals(List.of(0, 1, 4, 9, 16, 25)) + " " + s.hashCode() + " " + s.stream().mapToInt(x -> x).sum());
        for (Runnable r : new Runnable[]{() -> s.get(6), () -> s.add(1), () -> s.remove(0), () -> s.iterator().remove()}) {
            try {
                r.run();
            } catch (IndexOutOfBoundsException | UnsupportedOperationException | IllegalStateException e) {
                System.out.println(e);
            }
        }
        Bag<String> b = new Bag<>();
        Collections.addAll(b, "x", "a", "x", "m", "x");
        System.out.println(b + " " + b.size() + " " + b.contains("m") + " " + Arrays.toString(b.toArray()));
        Spliterator<Integer> sp = new ArrayList<>(s).spliterator();
        Spliterator<Integer> half = sp.trySplit();
        StringBuilder out = new StringBuilder();
        half.forEachRemaining(x -> out.append(x).append(' '));
        out.append("| ");
        sp.tryAdvance(x -> out.append(x).append(' '));
        System.out.println(out + " " + sp.estimateSize() + " " + sp.hasCharacteristics(Spliterator.SIZED) + " " + new TreeSet<>(s).spliterator().hasCharacteristics(Spliterator.SORTED));
        Iterable<Integer> it = () -> IntStream.range(0, 3).iterator();
        System.out.println(StreamSupport.stream(it.spliterator(), false).map(x -> x * 2).toList());
        Map<String, Integer> m = new HashMap<>(Map.of("a", 1, "b", 2));
        for (Map.Entry<String, Integer> e : m.entrySet()) e.setValue(e.getValue() * 10);
        m.entrySet().removeIf(e -> e.getValue() > 15);
        System.out.println(m + " " + m.keySet().equals(Set.of("a")) + " " + new ArrayList<>(m.values()).equals(List.of(10)));
        PrimitiveIterator.OfInt pi = IntStream.of(4, 5).iterator();
        System.out.println(pi.nextInt() + pi.next() + " " + new HashSet<>(List.of(1, 2)).equals(new LinkedHashSet<>(List.of(2, 1))));
    }
}
