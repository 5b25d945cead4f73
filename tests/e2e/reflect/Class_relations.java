// Relations between all pairs of classes, queried often enough for compiled code: primitive types, arrays, interfaces,
// deep hierarchies, hidden classes; null; hash codes of locked and awaited objects; cleared references.
import java.lang.ref.*;
import java.util.*;

public class Class_relations {
    static class A {}
    static class B extends A implements Runnable { public void run() {} }
    static class C extends B {}
    static class D extends C {}
    static class E extends D {}
    static class F extends E {}
    static class G extends F {}
    static class H extends G {}
    static class I extends H implements Comparable<I> { public int compareTo(I o) { return 0; } }
    static class J extends I {}
    interface K extends Runnable {}

    static final Runnable LAMBDA = () -> {};
    static final Class<?>[] CLASSES = {
        Object.class, A.class, B.class, C.class, E.class, H.class, I.class, J.class, K.class, Runnable.class, Comparable.class, String.class,
        Integer.class, Number.class, int.class, long.class, void.class, boolean.class, int[].class, long[].class, int[][].class,
        Object[].class, A[].class, B[].class, J[].class, Runnable[].class, Object[][].class, String[].class, Cloneable.class,
        java.io.Serializable.class, LAMBDA.getClass(), Thread.State.class, Override.class, Class.class, Enum.class};
    static final Object[] OBJECTS = {
        new Object(), new A(), new B(), new C(), new D(), new H(), new I(), new J(), "s", 1, 2L, new int[1], new long[1], new int[1][1],
        new Object[1], new A[1], new B[1], new J[1], new Runnable[1], new Object[1][1], new String[1], LAMBDA, Thread.State.NEW, int.class, null};

    static long relations() {
        long sum = 0;
        for (Class<?> c : CLASSES) {
            for (Class<?> d : CLASSES) sum = sum * 31 + (c.isAssignableFrom(d) ? 1 : 0);
            for (Object o : OBJECTS) {
                sum = sum * 31 + (c.isInstance(o) ? 1 : 0);
                if (c.isInstance(o) || o == null && c != int.class) sum += c.cast(o) == o ? 1 : 1000;
            }
            Class<?> s = c.getSuperclass();
            sum = sum * 31 + (c.isInterface() ? 1 : 0) + (c.isArray() ? 2 : 0) + (c.isPrimitive() ? 4 : 0) + (c.isHidden() ? 8 : 0)
                + (s == null ? 16 : c == LAMBDA.getClass() ? 0 : s.getName().hashCode()) + c.getModifiers();
        }
        return sum;
    }

    static String refused(Runnable r) {
        try {
            r.run();
            return "done";
        } catch (RuntimeException e) {
            return e.getClass().getName() + (e instanceof NullPointerException ? "" : ": " + e.getMessage());
        }
    }

    static int hashes(Object[] objects, int[] first) {
        int same = 0;
        for (int i = 0; i < objects.length; i++) same += System.identityHashCode(objects[i]) == first[i] ? 1 : 0;
        return same;
    }

    static void hashing() throws Exception {
        Object[] objects = new Object[64];
        int[] first = new int[objects.length];
        for (int i = 0; i < objects.length; i++) {
            objects[i] = i % 9 == 8 ? null : new A();
            if (i % 3 == 1) synchronized (objects[i] == null ? LAMBDA : objects[i]) { first[i] = System.identityHashCode(objects[i]); }
            else first[i] = System.identityHashCode(objects[i]);
            if (i % 3 == 2 && objects[i] != null) synchronized (objects[i]) { objects[i].wait(1); }
        }
        int same = 0, own = 0;
        for (int k = 0; k < 3000; k++) {
            same += hashes(objects, first);
            for (int i = 0; i < objects.length; i++) if (objects[i] != null) own += objects[i].hashCode() == first[i] ? 1 : 0;
            Object o = objects[k % 8];
            synchronized (o) { same += hashes(objects, first); }
        }
        System.out.println(same + " " + own + " " + System.identityHashCode(null));
        Set<Integer> different = new HashSet<>();
        for (int i = 0; i < 1000; i++) different.add(System.identityHashCode(new Object()));
        System.out.println(different.size() > 990);
    }

    static int referents(WeakReference<Object> weak, SoftReference<Object> soft, PhantomReference<Object> phantom, Object o) {
        return (weak.get() == o ? 1 : 0) + (soft.get() == o ? 2 : 0) + (weak.refersTo(o) ? 4 : 0) + (phantom.refersTo(o) ? 8 : 0)
            + (weak.refersTo(null) ? 16 : 0) + (phantom.refersTo(null) ? 32 : 0) + (phantom.get() == null ? 64 : 0);
    }

    public static void main(String[] args) throws Exception {
        long sum = 0;
        for (int i = 0; i < 300; i++) sum += relations();
        System.out.println(sum);
        for (int i = 0; i < 3000; i++) {
            String s = refused(() -> String.class.isAssignableFrom(null)) + ", " + refused(() -> String.class.cast(1)) + ", "
                + refused(() -> int.class.cast(1)) + ", " + refused(() -> Runnable.class.cast(new int[0])) + ", " + refused(() -> int.class.cast(null));
            if (i % 2999 == 0) System.out.println(s);
        }
        hashing();
        Object o = new Object();
        WeakReference<Object> weak = new WeakReference<>(o);
        SoftReference<Object> soft = new SoftReference<>(o);
        PhantomReference<Object> phantom = new PhantomReference<>(o, new ReferenceQueue<>());
        int found = 0;
        for (int i = 0; i < 20000; i++) found += referents(weak, soft, phantom, i % 3 == 0 ? o : LAMBDA);
        weak.clear();
        phantom.clear();
        for (int i = 0; i < 20000; i++) found += 3 * referents(weak, soft, phantom, o);
        System.out.println(found);
    }
}
