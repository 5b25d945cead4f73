// Bridge methods, covariant returns, generic arrays, bounded types, wildcard capture.
import java.lang.reflect.Method;
import java.util.*;
import java.util.function.Function;

public class Generics_bridges {
    static abstract class Node<T> {
        T data;
        Node(T d) { data = d; }
        void set(T d) { data = d; System.out.println("Node.set"); }
        T get() { return data; }
        abstract Node<T> copy();
    }

    static class IntNode extends Node<Integer> implements Comparable<IntNode> {
        IntNode(int d) { super(d); }
        @Override void set(Integer d) { System.out.println("IntNode.set " + d); super.set(d); }
        @Override Integer get() { return super.get() + 1; }
        @Override IntNode copy() { return new IntNode(data * 2); }
        @Override public int compareTo(IntNode o) { return data.compareTo(o.data); }
    }

    static class Pair<A, B> {
        final A a; final B b;
        Pair(A a, B b) { this.a = a; this.b = b; }
        <C> Pair<A, C> withB(Function<? super B, ? extends C> f) { return new Pair<>(a, f.apply(b)); }
        static <X extends Comparable<? super X>> X max(Collection<? extends X> c) {
            Iterator<? extends X> it = c.iterator();
            X best = it.next();
            while (it.hasNext()) { X x = it.next(); if (x.compareTo(best) > 0) best = x; }
            return best;
        }
        @Override public String toString() { return "(" + a + "," + b + ")"; }
    }

    @SafeVarargs static <T> List<T> list(T... ts) { return new ArrayList<>(Arrays.asList(ts)); }
    static void swap(List<?> l) { capture(l); }
    private static <T> void capture(List<T> l) { T t = l.get(0); l.set(0, l.get(1)); l.set(1, t); }

    @SuppressWarnings({"unchecked", "rawtypes"})
    public static void main(String[] args) {
        Node<Integer> n = new IntNode(5);
        n.set(6);
        System.out.println(n.get() + " " + n.copy().get() + " " + n.copy().copy().data);
        try {
            ((Node) n).set("text");
        } catch (ClassCastException e) {
            System.out.println("bridge refuses");
        }
        try {
            ((Comparable) n).compareTo("x");
        } catch (ClassCastException e) {
            System.out.println("bridge refuses again");
        }
        Method[] ms = IntNode.class.getDeclaredMethods();
        List<String> names = new ArrayList<>();
        for (Method m : ms) names.add(m.getName() + Arrays.toString(m.getParameterTypes()) + m.getReturnType().getSimpleName() + m.isBridge() + m.isSynthetic());
        Collections.sort(names);
        for (String s : names) System.out.println(s);
        System.out.println(new Pair<>(1, "two").withB(String::length).withB(x -> x * 1.5));
        System.out.println(Pair.max(list(3, 9, 4)) + Pair.max(list("b", "zz", "a")));
        List<String> l = list("p", "q", "r");
        swap(l);
        System.out.println(l + " " + list().size() + " " + list((Object) null));
        Comparable<IntNode>[] array = new IntNode[]{new IntNode(2), new IntNode(1)};
        System.out.println(array[0].compareTo((IntNode) array[1]));
        Arrays.sort(array);
        System.out.println(((IntNode) array[0]).data);
    }
}
