// Inner, local and anonymous classes, private members across nest mates, constructors through this(...).
import java.util.*;

public class Inner_access {
    private int f = 1;
    private int get() { return f++; }
    class In {
        private int g = get();
        class Deep { int h = g + get(); private int sum() { return h + In.this.g + Inner_access.this.get(); } }
        private In() { this(5); }
        private In(int x) { g += x; }
    }
    static class Node {
        private final Node next;
        private final int v;
        private Node(Node next, int v) { this.next = next; this.v = v; }
        private int total() { return v + (next == null ? 0 : next.total()); }
    }
    Iterator<Integer> upTo(int n) {
        return new Iterator<>() {
            int i;
            public boolean hasNext() { return i < n; }
            public Integer next() { return bump(i++) + get(); }
            private int bump(int x) { return x; }
        };
    }
    static int local(int n) {
        class L { int run(int k) { return k == 0 ? n : run(k - 1) + 1; } }
        return new L().run(n);
    }
    public static void main(String[] args) {
        Inner_access o = new Inner_access();
        In in = o.new In();
        In.Deep d = in.new Deep();
        int s = d.sum() + local(6);
        for (Iterator<Integer> it = o.upTo(10); it.hasNext(); ) s += it.next();
        Node list = null;
        for (int i = 0; i < 20; i++) list = new Node(list, i);
        s += list.total();
        System.out.println(s);
    }
}
