// Visible erasure: heap pollution, bridges, javac's casts, overloads by bounds, varargs of generics, raw types.
import java.lang.reflect.*;
import java.util.*;
import java.util.function.*;

public class Generic_erasure {
    static class Box<T extends Comparable<T>> implements Comparable<Box<T>> { T v; Box(T v) { this.v = v; } T get() { return v; } void set(T t) { v = t; } public int compareTo(Box<T> o) { return v.compareTo(o.v); } }
    static class IntBox extends Box<Integer> { IntBox(int i) { super(i); } @Override Integer get() { return v + 1; } @Override void set(Integer i) { v = i * 2; } }
    static <T> T cast(Object o) { @SuppressWarnings("unchecked") T t = (T) o; return t; }
    static <T extends Number> double num(Object o) { @SuppressWarnings("unchecked") T t = (T) o; return t.doubleValue(); }
    @SafeVarargs static <T> T[] arr(T... ts) { return ts; }
    static <T> T[] pair(T a, T b) { return arr(a, b); }
    static String over(List<?> l) { return "list"; }
    static String over(Collection<? extends Number> c) { return "collection"; }
    static String over(Object o) { return "object"; }
    static void t(String what, Supplier<Object> s) { try { System.out.println(what + ": " + s.get()); } catch (ClassCastException | ArrayStoreException e) { System.out.println(what + ": " + e.getMessage()); } }

    @SuppressWarnings({"unchecked", "rawtypes"})
    public static void main(String[] args) {
        t("pollution", () -> { List<String> l = (List) new ArrayList<>(List.of(1)); Object o = l.get(0); String s = l.get(0); return s; });
        t("pollution unseen", () -> { List<String> l = (List) new ArrayList<>(List.of(1)); return "" + ((List) l).get(0) + l.size() + l; });
        t("cast anywhere", () -> { String s = cast(5); return s; });
        t("cast unseen", () -> Generic_erasure.<String>cast(5) == null);
        t("bound cast", () -> num("x"));
        t("generic array", () -> { String[] s = pair("a", "b"); return s.length; });
        t("generic array ok", () -> arr("a", "b").getClass().getSimpleName() + arr(1, 2.5).getClass().getSimpleName());
        t("bridge set", () -> { Box b = new IntBox(3); b.set("x"); return b.get(); });
        t("bridge get", () -> { Box<Integer> b = new IntBox(3); b.set(5); return b.get(); });
        t("raw compare", () -> ((Comparable) new Box<>("a")).compareTo("b"));
        t("overloads", () -> over((Iterable<Integer>) List.of(1)) + over(Set.of(1)) + over((Object) List.of()));
        t("array covariance", () -> { Object[] a = new Integer[1]; a[0] = "s"; return a; });
        t("array of lists", () -> { List<String>[] ls = new List[]{List.of("a")}; Object[] os = ls; os[0] = List.of(7); return ls[0].get(0).length(); });
        t("intersection", () -> { Object o = cast2(new StringBuilder("sb")); return o; });
        List<String> names = new ArrayList<>();
        for (Method m : IntBox.class.getDeclaredMethods()) names.add(m.getReturnType().getSimpleName() + " " + m.getName() + Arrays.toString(m.getParameterTypes()).replaceAll("class java.lang.|interface java.lang.", "") + (m.isBridge() ? " bridge" : ""));
        for (Method m : Box.class.getDeclaredMethods()) if (m.isBridge()) names.add("Box." + m.getName());
        Collections.sort(names);
        System.out.println(names);
        Map<String, Integer> counts = new TreeMap<>();
        for (String w : "a b a c b a".split(" ")) counts.merge(w, 1, Integer::sum);
        int total = 0;
        for (int c : counts.values()) total += c;
        System.out.println(counts + " " + total + " " + new IntBox(1).compareTo(new IntBox(4)) + " " + Collections.max(List.of(new Box<>(2), new Box<>(9))).get());
    }
    static <T extends CharSequence & Comparable<T>> Object cast2(Object o) { T t = (T) o; return t.length() + t.toString(); }
}
