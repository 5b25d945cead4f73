// oracle: called back
// Library callbacks: hashCode, equals, compareTo, comparators, iterators, toString, application collections.
import java.util.*;

public class Callback_collections {
    static final class Key implements Comparable<Key> {
        final int v;
        Key(int v) { this.v = v; }
        @Override public int hashCode() { return spread(v); }
        private static int spread(int v) { return v % 11; }
        @Override public boolean equals(Object o) { return o instanceof Key k && same(k); }
        private boolean same(Key k) { return k.v == v; }
        @Override public int compareTo(Key o) { return Integer.compare(v, o.v); }
        @Override public String toString() { return "k" + v; }
    }
    static class Ring extends AbstractList<Key> {
        final Key[] ks = new Key[8];
        int reads;
        @Override public Key get(int i) { reads++; return ks[slot(i)]; }
        @Override public Key set(int i, Key k) { Key old = ks[slot(i)]; ks[slot(i)] = k; return old; }
        private int slot(int i) { return (i + 3) % 8; }
        @Override public int size() { return 8; }
    }
    static class Loud extends ArrayList<Key> {
        @Override public boolean add(Key k) { return ok(super.add(k)); }
        @Override public String toString() { return "L" + super.toString(); }
        boolean ok(boolean b) { return b; }
    }
    public static void main(String[] args) {
        Map<Key, Integer> m = new HashMap<>();
        for (int i = 0; i < 120; i++) m.merge(new Key(i * 13 % 40), 1, Integer::sum);
        Map<Key, Integer> t = new TreeMap<>(m);
        Map<Key, Integer> r = new TreeMap<>(new Comparator<Key>() { @Override public int compare(Key a, Key b) { return flip(a, b); } private int flip(Key a, Key b) { return b.v - a.v; } });
        r.putAll(m);
        PriorityQueue<Key> q = new PriorityQueue<>(t.keySet());
        q.add(new Key(-1));
        int s = q.poll().v + q.poll().v;
        Ring ring = new Ring();
        for (int i = 0; i < 8; i++) ring.set(i, new Key(8 - i));
        s += ring.indexOf(new Key(3)) + (ring.contains(new Key(99)) ? 1 : 0) + ring.hashCode() + ring.reads;
        Collections.sort(ring);
        Collections.reverse(ring);
        Loud loud = new Loud();
        for (Key k : ring) loud.add(k);
        Set<Key> set = new LinkedHashSet<>(loud);
        set.retainAll(List.of(new Key(2), new Key(5)));
        Object o = loud;
        String text = o.toString() + String.valueOf(set) + ring + Arrays.asList(new Key(1), new Key(2)) + Optional.of(new Key(7));
        System.out.println(s + " " + m.size() + " " + t.size() + " " + r.keySet().iterator().next() + " " + text + " " + loud.equals(ring) + " " + new ArrayList<>(List.of(new Key(1))).equals(List.of(new Key(1))));
    }
}
