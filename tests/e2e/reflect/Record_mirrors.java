// Records in reflection and as objects: components, generics, annotations, float equality, toString, nested, serial.
import java.lang.annotation.*;
import java.lang.reflect.*;
import java.util.*;

public class Record_mirrors {
    @Retention(RetentionPolicy.RUNTIME) @interface Mark { String value(); }
    record Point<T extends Number>(@Mark("x") T x, double y, float z, int[] arr, List<? extends T>... more) implements Comparable<Point<T>> {
        static int made;
        Point { made++; if (y < 0) throw new IllegalArgumentException("negative " + y); }
        Point(T x) { this(x, 1, 2, new int[0]); }
        @Mark("own accessor") public double y() { return y + 1; }
        public int compareTo(Point<T> o) { return Double.compare(y, o.y); }
    }
    record Empty() { }
    record Kinds(boolean z, byte b, char c, short s, int i, long j, float f, double d, Object o) { }
    interface Shape { default String name() { return getClass().getSimpleName(); } }

    public static void main(String[] args) throws Exception {
        Point<Integer> p = new Point<>(1, 0.0, -0f, null, (List<Integer>[]) null), q = new Point<>(1, -0.0 + 0.0, -0f, null, (List<Integer>[]) null), r = new Point<>(1, 0.0, 0f, null, (List<Integer>[]) null);
        System.out.println(p + " " + p.equals(q) + " " + p.equals(r) + " " + (p.hashCode() == q.hashCode()) + " " + p.y() + " " + Point.made);
        System.out.println(new Empty() + " " + new Empty().equals(new Empty()) + " " + new Empty().hashCode());
        Kinds k = new Kinds(true, (byte) 1, 'c', (short) 2, 3, 4, Float.NaN, Double.NaN, null);
        System.out.println(k + " " + k.equals(new Kinds(true, (byte) 1, 'c', (short) 2, 3, 4, Float.NaN, Double.NaN, null)) + " " + k.hashCode());
        for (RecordComponent c : Point.class.getRecordComponents()) System.out.println(c + " | " + c.getGenericSignature() + " | " + c.getGenericType() + " | " + c.getAccessor() + " | " + Arrays.toString(c.getAnnotations()) + " " + Arrays.toString(c.getAccessor().getAnnotations()) + " " + c.getDeclaringRecord().getSimpleName());
        System.out.println(Point.class.isRecord() + " " + Record.class.isRecord() + " " + Modifier.toString(Point.class.getModifiers()) + " " + Point.class.getSuperclass() + " " + Empty.class.getRecordComponents().length + " " + String.class.getRecordComponents());
        record Loc(int a, Loc next) implements Shape { static Loc of(int... xs) { Loc l = null; for (int x : xs) l = new Loc(x, l); return l; } }
        Loc l = Loc.of(1, 2, 3);
        System.out.println(l + " " + l.name() + " " + Modifier.toString(Loc.class.getModifiers()) + " " + l.equals(Loc.of(1, 2, 3)) + " " + Loc.class.getEnclosingMethod().getName());
        try { new Point<>(1, -1, 0, null); } catch (IllegalArgumentException e) { System.out.println(e.getMessage()); }
        Constructor<?> c = Kinds.class.getDeclaredConstructor(Arrays.stream(Kinds.class.getRecordComponents()).map(RecordComponent::getType).toArray(Class[]::new));
        System.out.println(c.newInstance(false, (byte) 0, 'x', (short) 0, 0, 0L, 0f, 0.0, "o"));
        Object[] vals = new Object[9];
        int i = 0;
        for (RecordComponent rc : Kinds.class.getRecordComponents()) vals[i++] = rc.getAccessor().invoke(k);
        System.out.println(Arrays.toString(vals));
        TreeSet<Point<Integer>> set = new TreeSet<>(List.of(new Point<>(3, 3, 0, null), new Point<>(1, 1, 0, null)));
        System.out.println(set.first().x());
    }
}
