// Calls that fail before they enter a callee: null receivers, failed casts, missing elements, then library callbacks.
import java.util.*;

public class Null_receivers {
    static class V { int m() { return 1; } static V make(boolean b) { return b ? new V() : null; } final int fin() { return 2; } private int priv() { return 3; } }
    interface W { int w(); }
    static class WI implements W { public int w() { return 4; } }
    static int arg(int x) { return x; }
    static int safe(V v, W w, int k) {
        try {
            switch (k % 5) {
                case 0: return v.m();
                case 1: return v.fin();
                case 2: return v.priv();
                case 3: return w.w();
                default: return new int[1][0].length == 1 ? take(arg(k), v.m(), arg(k + 1)) : 0;
            }
        } catch (NullPointerException e) {
            return recover();
        }
    }
    static int take(int a, int b, int c) { return a + b + c; }
    static int recover() { return -1; }
    static class Cmp implements Comparator<V> { @Override public int compare(V a, V b) { try { return a.m() - b.m(); } catch (NullPointerException e) { return 0; } } }
    static class Ks { final int v; Ks(int v) { this.v = v; } @Override public int hashCode() { Ks n = null; try { return n.hashCode(); } catch (NullPointerException e) { return v % 2; } } @Override public boolean equals(Object o) { return ((Ks) o).v == v; } }
    public static void main(String[] args) {
        int s = 0;
        for (int i = 0; i < 60; i++) s += safe(V.make(i % 3 != 0), i % 2 == 0 ? new WI() : null, i);
        List<V> l = new ArrayList<>();
        for (int i = 0; i < 12; i++) l.add(V.make(i % 4 != 0));
        l.sort(new Cmp());
        Set<Ks> ks = new HashSet<>();
        for (int i = 0; i < 15; i++) ks.add(new Ks(i % 5));
        System.out.println(s + " " + l.size() + " " + ks.size());
    }
}
