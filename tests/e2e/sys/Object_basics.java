// Object: identity hashes, equals, clone of all kinds, toString, getClass, finalizer-free life.
import java.util.*;

public class Object_basics {
    static class Deep implements Cloneable {
        int a = 1; long b = 2; Object ref = new int[]{3}; byte c = 4; double d = 5; boolean e = true; String s = "s";
        @Override public Deep clone() { try { return (Deep) super.clone(); } catch (CloneNotSupportedException x) { throw new AssertionError(x); } }
    }
    static class DeepSub extends Deep { char extra = 'x'; }
    static class Plain { Object copy() throws CloneNotSupportedException { return clone(); } }

    public static void main(String[] args) throws Exception {
        Object o = new Object();
        System.out.println((o.hashCode() == System.identityHashCode(o)) + " " + (o.hashCode() == o.hashCode()) + " " + System.identityHashCode(null) + " " + o.toString().startsWith("java.lang.Object@") + " " + o.toString().equals("java.lang.Object@" + Integer.toHexString(o.hashCode())) + " " + o.equals(o) + " " + o.equals(new Object()) + " " + o.equals(null));
        String s = "hash";
        System.out.println(s.hashCode() != System.identityHashCode(s));
        Set<Integer> hashes = new HashSet<>();
        for (int i = 0; i < 1000; i++) hashes.add(System.identityHashCode(new Object()));
        System.out.println((hashes.size() > 990) + " " + hashes.stream().allMatch(h -> h >= 0));
        DeepSub d = new DeepSub();
        d.extra = 'y';
        d.d = -0.0;
        DeepSub e = (DeepSub) d.clone();
        System.out.println(e.extra + " " + e.a + e.b + e.c + e.d + e.e + e.s + " " + (e.ref == d.ref) + " " + (e.getClass() == DeepSub.class) + " " + (e != (Object) d) + " " + (System.identityHashCode(e) != System.identityHashCode(d)));
        try {
            new Plain().copy();
        } catch (CloneNotSupportedException x) {
            System.out.println(x.getMessage());
        }
        int[][] m = {{1, 2}, {3}};
        int[][] n = m.clone();
        n[0][0] = 9;
        n[1] = new int[0];
        System.out.println(m[0][0] + " " + m[1].length + " " + n.getClass().getName() + " " + new Object[0].clone().length + " " + Arrays.equals(new long[]{1, 2}.clone(), new long[]{1, 2}));
        synchronized (d) {
            d.hashCode();
            DeepSub f = (DeepSub) d.clone();
            System.out.println(Thread.holdsLock(f) + " " + Thread.holdsLock(d));
        }
        System.out.println(Objects.hash(1, "a", null) + " " + Objects.hashCode(null) + " " + Objects.equals(null, null) + " " + Objects.toString(null, "def") + " " + Objects.requireNonNullElse(null, "else") + " " + Objects.compare(1, 2, Comparator.naturalOrder()));
        System.out.println(new int[0].equals(new int[0]) + " " + new int[3].toString().startsWith("[I@") + " " + new String[0][0].toString().startsWith("[[Ljava.lang.String;@"));
    }
}
