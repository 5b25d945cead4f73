// Generic type information of classes, methods, fields; type variables and wildcards.
import java.lang.reflect.*;
import java.util.*;
import java.util.function.*;

public class Generic_signatures<K extends Comparable<? super K> & java.io.Serializable, V> extends HashMap<K, List<? extends V>> implements Supplier<V[]> {
    Map<String, ? super Integer>[][] field;
    K key;
    public <T extends Exception, U> U method(T t, List<? extends Map.Entry<K, U>> l, int[] p, U... us) throws T { return null; }
    public V[] get() { return null; }
    class Inner<Z> { Generic_signatures<K, V>.Inner<Z> self; }
    static class Raw extends ArrayList { }
    static class Str extends ArrayList<String> { }

    public static void main(String[] args) throws Exception {
        Class<?> c = Generic_signatures.class;
        for (TypeVariable<?> t : c.getTypeParameters()) System.out.println(t + " " + Arrays.toString(t.getBounds()) + " " + t.getGenericDeclaration());
        System.out.println(c.getGenericSuperclass() + " " + Arrays.toString(c.getGenericInterfaces()));
        for (String f : new String[]{"field", "key"}) System.out.println(c.getDeclaredField(f).getGenericType() + " " + c.getDeclaredField(f).getGenericType().getClass().getInterfaces()[0].getSimpleName());
        for (Method m : c.getDeclaredMethods()) {
            if (!m.getName().equals("method")) continue;
            System.out.println(m.toGenericString());
            System.out.println(Arrays.toString(m.getGenericParameterTypes()) + " " + m.getGenericReturnType() + " " + Arrays.toString(m.getGenericExceptionTypes()) + " " + Arrays.toString(m.getTypeParameters()));
            ParameterizedType p = (ParameterizedType) m.getGenericParameterTypes()[1];
            WildcardType w = (WildcardType) p.getActualTypeArguments()[0];
            System.out.println(p.getRawType() + " " + p.getOwnerType() + " " + Arrays.toString(w.getUpperBounds()) + Arrays.toString(w.getLowerBounds()) + " " + ((ParameterizedType) w.getUpperBounds()[0]).getOwnerType());
        }
        System.out.println(Class.forName("Generic_signatures$Inner").getDeclaredField("self").getGenericType());
        System.out.println(Raw.class.getGenericSuperclass() + " " + ((ParameterizedType) Str.class.getGenericSuperclass()).getActualTypeArguments()[0]);
        System.out.println(Collections.class.getMethod("max", Collection.class).toGenericString());
        System.out.println(new ArrayList<String>() { }.getClass().getGenericSuperclass().equals(new ArrayList<String>() { }.getClass().getGenericSuperclass()));
        System.out.println(Function.class.getMethod("andThen", Function.class).toGenericString() + " " + Function.class.getMethod("andThen", Function.class).isDefault());
    }
}
