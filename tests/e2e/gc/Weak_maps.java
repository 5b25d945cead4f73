// WeakHashMap entries, weak class-keyed caches and thread locals shrink after collections.
import java.util.*;

public class Weak_maps {
    static int fill(int n) { return n == 0 ? 0 : new long[n % 7 + 1].length + fill(n - 1); }
    static void put(WeakHashMap<Object, Integer> m) { for (int i = 0; i < 500; i++) m.put(new Object(), i); }

    public static void main(String[] args) throws Exception {
        WeakHashMap<Object, Integer> m = new WeakHashMap<>();
        Object keep = new Object();
        m.put(keep, -1);
        put(m);
        for (int i = 0; i < 1000 && m.size() > 60; i++) { fill(300); System.gc(); Thread.sleep(2); }
        System.out.println((m.size() <= 60) + " " + m.get(keep));
        WeakHashMap<String, String> literals = new WeakHashMap<>();
        literals.put("literal", "stays");
        System.gc();
        System.out.println(literals);
        ClassValue<Integer> cv = new ClassValue<>() { int n; @Override protected Integer computeValue(Class<?> c) { return ++n; } };
        System.out.println(cv.get(String.class) + " " + cv.get(Integer.class) + " " + cv.get(String.class));
        cv.remove(String.class);
        System.out.println(cv.get(String.class));
    }
}
