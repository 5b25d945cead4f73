// String concatenation, records and formatting call toString, hashCode and equals of the application's objects.
import java.util.*;

public class Concat_records {
    record P(int x, Q q) { P { check(x); } static void check(int x) { if (x < 0) throw new IllegalArgumentException(); } int sum() { return x + q().v; } }
    static class Q { final int v; Q(int v) { this.v = v; } @Override public String toString() { return text(); } String text() { return "q" + v; } @Override public int hashCode() { return v; } @Override public boolean equals(Object o) { return o instanceof Q q && q.v == v; } }
    record Over(int a) { @Override public int a() { return a + 1; } @Override public String toString() { return "over" + a(); } }
    static String join(Object... os) { String s = ""; for (Object o : os) s += o + ","; return s; }
    public static void main(String[] args) {
        int n = 0;
        for (int i = 0; i < 10; i++) {
            P p = new P(i, new Q(i * 2));
            String s = "p=" + p + " q=" + p.q() + " " + p.sum() + new Over(i);
            n += s.length() + (p.equals(new P(i, new Q(i * 2))) ? 1 : 0) + p.hashCode() % 7;
        }
        n += join(new Q(1), new Over(2), null, 5).length();
        n += String.format("%s %10s", new Q(3), new Over(4)).length();
        n += new StringBuilder().append(new Q(5)).append((Object) "x").length() + String.valueOf(new Q(6)).length() + Objects.hash(new Q(1), new Q(2)) % 5;
        try { new P(-1, null); } catch (IllegalArgumentException e) { n++; }
        Map<P, Integer> m = new HashMap<>();
        for (int i = 0; i < 20; i++) m.put(new P(i % 4, new Q(i % 3)), i);
        System.out.println(n + " " + m.size() + " " + new Q(9));
    }
}
