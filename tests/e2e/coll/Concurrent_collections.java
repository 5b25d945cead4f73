// ConcurrentHashMap, skip lists and concurrent queues in one thread and in several.
import java.util.*;
import java.util.concurrent.*;
import java.util.concurrent.atomic.AtomicInteger;

public class Concurrent_collections {
    public static void main(String[] args) throws Exception {
        ConcurrentHashMap<String, Integer> m = new ConcurrentHashMap<>();
        for (int i = 0; i < 300; i++) m.merge("k" + i % 70, i, Integer::sum);
        System.out.println(m.size() + " " + m.get("k5") + " " + m.reduceValuesToLong(1, Integer::longValue, 0, Long::sum) + " " + m.search(1, (k, v) -> v == 770 ? k : null) + " " + m.mappingCount());
        m.computeIfAbsent("new", k -> 1);
        m.compute("k1", (k, v) -> null);
        System.out.println(m.containsKey("k1") + " " + m.putIfAbsent("new", 2) + " " + m.replace("new", 1, 5) + " " + m.remove("new", 4) + " " + new TreeSet<>(m.keySet()).first());
        try {
            m.put(null, 1);
        } catch (NullPointerException e) {
            System.out.println("NPE");
        }
        try {
            new ConcurrentHashMap<String, Integer>().computeIfAbsent("a", k -> { throw new IllegalStateException("in function"); });
        } catch (IllegalStateException e) {
            System.out.println(e.getMessage());
        }
        ConcurrentHashMap<Integer, AtomicInteger> shared = new ConcurrentHashMap<>();
        Thread[] ts = new Thread[4];
        for (int t = 0; t < ts.length; t++) {
            ts[t] = new Thread(() -> { for (int i = 0; i < 2000; i++) shared.computeIfAbsent(i % 100, k -> new AtomicInteger()).incrementAndGet(); });
            ts[t].start();
        }
        for (Thread t : ts) t.join();
        int total = 0;
        for (AtomicInteger a : shared.values()) total += a.get();
        System.out.println(shared.size() + " " + total);
        ConcurrentSkipListMap<Integer, String> s = new ConcurrentSkipListMap<>();
        for (int i = 0; i < 200; i++) s.put(i * 73 % 199, "v" + i);
        System.out.println(s.size() + " " + s.firstKey() + s.floorKey(100) + s.pollLastEntry() + s.headMap(4).keySet());
        ConcurrentLinkedQueue<Integer> q = new ConcurrentLinkedQueue<>();
        Thread p = new Thread(() -> { for (int i = 0; i < 1000; i++) q.add(i); });
        p.start();
        int got = 0, last = -1;
        boolean inOrder = true;
        while (got < 1000) {
            Integer x = q.poll();
            if (x == null) { Thread.yield(); continue; }
            if (x != last + 1) inOrder = false;
            last = x;
            got++;
        }
        System.out.println(inOrder + " " + got);
        ConcurrentLinkedDeque<Integer> d = new ConcurrentLinkedDeque<>(List.of(1, 2, 3));
        d.addFirst(0);
        System.out.println(d + " " + d.pollLast() + new CopyOnWriteArraySet<>(List.of(1, 2, 2 + 0 * 1 + 1)));
        Set<String> ks = ConcurrentHashMap.newKeySet();
        ks.add("x");
        System.out.println(ks + " " + ks.add("x"));
    }
}
