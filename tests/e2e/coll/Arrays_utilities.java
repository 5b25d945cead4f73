// java.util.Arrays: sorts of all types, stability, search, fill, equals, mismatch, hashing, parallel versions.
import java.util.*;

public class Arrays_utilities {
    record P(int k, int order) { }

    public static void main(String[] args) {
        Random r = new Random(5);
        int[] a = r.ints(400, -1000, 1000).toArray();
        long[] l = r.longs(300).toArray();
        double[] d = r.doubles(300).toArray();
        byte[] by = new byte[300];
        r.nextBytes(by);
        char[] c = "the quick brown fox jumps over the lazy dog".toCharArray();
        int[] p = a.clone();
        Arrays.sort(a);
        Arrays.parallelSort(p);
        Arrays.sort(l);
        Arrays.sort(d, 10, 200);
        Arrays.sort(by);
        Arrays.sort(c);
        System.out.println(Arrays.equals(a, p) + " " + Arrays.hashCode(a) + " " + Arrays.hashCode(l) + " " + Arrays.hashCode(d) + " " + Arrays.hashCode(by) + " " + new String(c).trim());
        System.out.println(Arrays.binarySearch(a, a[77]) >= 0 ? "found" : "lost");
        P[] ps = new P[200];
        for (int i = 0; i < ps.length; i++) ps[i] = new P(r.nextInt(10), i);
        Arrays.sort(ps, Comparator.comparingInt(P::k));
        boolean stable = true;
        for (int i = 1; i < ps.length; i++) if (ps[i - 1].k() == ps[i].k() && ps[i - 1].order() > ps[i].order()) stable = false;
        System.out.println(stable + " " + ps[0].k() + ps[199].k());
        Integer[] boxed = {5, 2, 9, 1};
        Arrays.sort(boxed, Collections.reverseOrder());
        System.out.println(Arrays.toString(boxed) + Arrays.asList(boxed) + Arrays.toString(Arrays.copyOf(boxed, 6)) + Arrays.toString(Arrays.copyOfRange(new int[]{1, 2, 3, 4}, 2, 6)));
        int[] f = new int[5];
        Arrays.fill(f, 1, 4, 7);
        Arrays.setAll(f, i -> f[i] * i);
        Arrays.parallelPrefix(f, Integer::sum);
        System.out.println(Arrays.toString(f) + " " + Arrays.mismatch(new int[]{1, 2, 3}, new int[]{1, 2, 4}) + " " + Arrays.compare(new int[]{1, 2}, new int[]{1, 2, 3}) + " " + Arrays.mismatch("abcdefghijklm".getBytes(), "abcdefghijklX".getBytes()) + " " + Arrays.equals(new double[]{Double.NaN, 0.0}, new double[]{Double.NaN, -0.0}));
        Object[] deep = {1, new int[]{2, 3}, new Object[]{"x", new double[]{4}}};
        System.out.println(Arrays.deepToString(deep) + " " + Arrays.deepHashCode(deep) + " " + Arrays.deepEquals(deep, new Object[]{1, new int[]{2, 3}, new Object[]{"x", new double[]{4}}}));
        Object[] self = new Object[1];
        self[0] = self;
        System.out.println(Arrays.deepToString(self));
        try {
            Arrays.sort(new Object[]{1, "x"});
        } catch (ClassCastException e) {
            System.out.println("CCE");
        }
        try {
            Arrays.fill(f, 3, 9, 0);
        } catch (ArrayIndexOutOfBoundsException e) {
            System.out.println(e.getMessage());
        }
        String[] s = {"b", null, "a"};
        Arrays.sort(s, Comparator.nullsFirst(Comparator.naturalOrder()));
        System.out.println(Arrays.toString(s) + Arrays.stream(new int[]{3, 4, 5}, 1, 3).sum());
    }
}
