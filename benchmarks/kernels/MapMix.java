import java.util.*;

/** HashMap and TreeMap: insertion, lookup, update, removal, iteration, with Integer keys and custom ones. */
final class MapMix implements Kernel {
    private record Key(int a, String b) { }

    @Override
    public long run() {
        Map<Integer, Integer> h = new HashMap<>();
        int seed = 1;
        long sum = 0;
        for (int i = 0; i < 160_000; i++) {
            seed = seed * 1103515245 + 12345 & 0x7fffffff;
            int k = seed >> 8 & 0x1fff;
            if (i % 5 == 4) h.remove(k); else h.merge(k, i, Integer::sum);
            Integer v = h.get(seed & 0x1fff);
            if (v != null) sum += v;
        }
        for (Map.Entry<Integer, Integer> e : h.entrySet()) sum = sum * 31 + e.getKey() ^ e.getValue();
        TreeMap<Integer, Integer> t = new TreeMap<>(h);
        for (int i = 0; i < 14_000; i++) {
            Integer f = t.floorKey(i * 7 & 0x1fff);
            if (f != null && i % 3 == 0) t.remove(f);
            sum += f == null ? 0 : f;
        }
        String[] names = {"x", "yy", "zzz"};
        Map<Key, Integer> own = new HashMap<>();
        for (int i = 0; i < 28_000; i++) own.merge(new Key(i % 700, names[i % 3]), 1, Integer::sum);
        for (int i = 0; i < 700; i++) sum = sum * 3 + own.getOrDefault(new Key(i, "zzz"), 0);
        return sum;
    }
}
