// Object graphs of many shapes stay intact while other threads allocate and collect.
import java.util.*;

public class Graph_survival {
    static final class T { T l, r; final int v; final long pad; final String s; T(int v, T l, T r) { this.v = v; this.l = l; this.r = r; pad = v * 3L; s = "n" + v; } }
    static T tree(int d, int v) { return d == 0 ? new T(v, null, null) : new T(v, tree(d - 1, v * 2), tree(d - 1, v * 2 + 1)); }
    static long check(T t) { return t == null ? 0 : (t.pad == t.v * 3L && t.s.equals("n" + t.v) ? t.v : -1_000_000_000L) + check(t.l) + check(t.r); }
    static volatile boolean stop;
    static volatile Object sink;

    public static void main(String[] args) throws Exception {
        Thread[] churn = new Thread[2];
        for (int i = 0; i < churn.length; i++) {
            churn[i] = new Thread(() -> { int n = 0; while (!stop) { Object[] a = new Object[50]; a[n++ % 50] = new byte[100]; sink = a; } });
            churn[i].start();
        }
        T t = tree(9, 1);
        Map<String, T> byName = new HashMap<>();
        Deque<T> work = new ArrayDeque<>(List.of(t));
        while (!work.isEmpty()) { T x = work.pop(); byName.put(x.s, x); if (x.l != null) { work.push(x.l); work.push(x.r); } }
        long first = check(t);
        for (int i = 0; i < 6; i++) System.gc();
        System.out.println((check(t) == first) + " " + first + " " + byName.size() + " " + (byName.get("n700").pad == 2100));
        t = null;
        T n1000 = byName.get("n1000");
        byName.clear();
        System.gc();
        System.out.println(check(n1000));
        int same = 0;
        IdentityHashMap<Object, Integer> ids = new IdentityHashMap<>();
        Object[] os = new Object[300];
        for (int i = 0; i < os.length; i++) { os[i] = new Object(); ids.put(os[i], System.identityHashCode(os[i])); }
        System.gc();
        for (Object o : os) if (ids.get(o) == System.identityHashCode(o)) same++;
        System.out.println(same);
        long[][] prim = new long[100][];
        for (int i = 0; i < 100; i++) { prim[i] = new long[i]; Arrays.fill(prim[i], i); }
        System.gc();
        long sum = 0;
        for (long[] p : prim) for (long v : p) sum += v;
        stop = true;
        for (Thread c : churn) c.join();
        System.out.println(sum);
    }
}
