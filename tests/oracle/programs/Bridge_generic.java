// Bridge methods: generic overriding, covariant returns, failing casts in bridges, raw callers.
import java.util.*;

public class Bridge_generic {
    static abstract class Cell<T> { T v; abstract void set(T t); T get() { return v; } Cell<T> self() { return this; } }
    static class IntCell extends Cell<Integer> implements Comparable<IntCell> {
        @Override void set(Integer i) { v = i; }
        @Override Integer get() { return super.get() + 1; }
        @Override IntCell self() { return this; }
        public int compareTo(IntCell o) { return Integer.compare(v, o.v); }
    }
    interface Visitor<R> { R visit(Tree t); }
    static class Tree { Tree l, r; int v; Tree(int v) { this.v = v; } <R> R accept(Visitor<R> x) { return x.visit(this); } }
    static class Sum implements Visitor<Integer> { public Integer visit(Tree t) { return t.v + (t.l == null ? 0 : t.l.accept(this)) + (t.r == null ? 0 : t.r.accept(this)); } }
    static class Show implements Visitor<String> { public String visit(Tree t) { return "(" + (t.l == null ? "" : t.l.accept(this)) + t.v + (t.r == null ? "" : t.r.accept(this)) + ")"; } }
    static Tree build(int d, int v) { Tree t = new Tree(v); if (d > 0) { t.l = build(d - 1, v * 2); t.r = build(d - 1, v * 2 + 1); } return t; }
    @SuppressWarnings({"unchecked", "rawtypes"})
    public static void main(String[] args) {
        int s = 0;
        for (int i = 0; i < 20; i++) {
            Cell<Integer> c = new IntCell();
            c.set(i);
            s += c.get() + c.self().get() + ((IntCell) c).self().get();
        }
        for (int i = 0; i < 5; i++) {
            try { ((Cell) new IntCell()).set("x"); } catch (ClassCastException e) { s += 1000; }
            try { ((Comparable) new IntCell()).compareTo("y"); } catch (ClassCastException e) { s += 1000; }
        }
        List<IntCell> l = new ArrayList<>();
        for (int i = 0; i < 30; i++) { IntCell c = new IntCell(); c.set(i * 7 % 30); l.add(c); }
        Collections.sort(l);
        Tree t = build(4, 1);
        System.out.println(s + " " + l.get(3).get() + " " + t.accept(new Sum()) + " " + t.accept(new Show()));
    }
}
