// instanceof, checkcast and array store checks over classes, interfaces and arrays.
import java.io.Serializable;
import java.util.ArrayList;
import java.util.List;

public class Casts_checked {
    interface Walk { }
    interface Swim extends Walk { }
    static class Animal { }
    static class Duck extends Animal implements Swim { }
    static final class Stone { }

    static String cast(Class<?> to, Object o) {
        try {
            to.cast(o);
            return "ok";
        } catch (ClassCastException e) {
            return e.getMessage();
        }
    }

    static String store(Object[] array, Object value) {
        try {
            array[0] = value;
            return "stored";
        } catch (ArrayStoreException e) {
            return "ASE " + e.getMessage();
        }
    }

    @SuppressWarnings("unchecked")
    static <T> T unchecked(Object o) { return (T) o; }

    public static void main(String[] args) {
        Object[] values = {null, new Duck(), new Animal(), new Stone(), new Duck[1], new int[2], new int[1][2],
            "s", new Animal[0], new Object[0], new Swim[3][2], 1, new long[0]};
        for (Object v : values) {
            StringBuilder s = new StringBuilder();
            s.append(v instanceof Duck ? 1 : 0).append(v instanceof Animal ? 1 : 0).append(v instanceof Walk ? 1 : 0);
            s.append(v instanceof Object ? 1 : 0).append(v instanceof Object[] ? 1 : 0).append(v instanceof Walk[] ? 1 : 0);
            s.append(v instanceof int[] ? 1 : 0).append(v instanceof Cloneable ? 1 : 0).append(v instanceof Serializable ? 1 : 0);
            s.append(v instanceof Object[][] ? 1 : 0).append(v instanceof Walk[][] ? 1 : 0).append(v instanceof Comparable ? 1 : 0);
            System.out.println(s);
        }
        System.out.println(cast(Duck.class, null) + " " + cast(Walk.class, new Duck()));
        System.out.println(cast(Duck.class, new Animal()));
        System.out.println(store(new Animal[1], new Duck()) + "; " + store(new Duck[1], new Animal()));
        System.out.println(store(new Walk[1], new Duck()) + "; " + store(new Walk[1], "text"));
        System.out.println(store(new int[1][], new int[0]) + "; " + store(new int[1][], new long[0]));
        System.out.println(store(new Object[1][], new int[0][0]) + "; " + store(new Object[1][], new int[0]));
        System.out.println(store(new Serializable[1], new int[0]) + "; " + store(new Duck[1], null));
        try {
            Object o = "text";
            Integer i = (Integer) o;
            System.out.println(i);
        } catch (ClassCastException e) {
            System.out.println(e.getMessage());
        }
        try {
            Integer i = unchecked("text");
            System.out.println(i);
        } catch (ClassCastException e) {
            System.out.println("generic cast fails late");
        }
        List raw = new ArrayList();
        raw.add(5);
        List<String> strings = raw;
        try {
            String s = strings.get(0);
            System.out.println(s);
        } catch (ClassCastException e) {
            System.out.println(e.getMessage());
        }
        try {
            Object o = new int[0];
            Object[] os = (Object[]) o;
            System.out.println(os.length);
        } catch (ClassCastException e) {
            System.out.println(e.getMessage());
        }
        Object[] covariant = new String[]{"a", "b"};
        System.out.println(covariant.getClass().getName() + " " + covariant.clone().getClass().getSimpleName());
        System.out.println(new int[0].getClass().isInstance(new int[3]) + " " + Object[].class.isAssignableFrom(int[][].class));
    }
}
