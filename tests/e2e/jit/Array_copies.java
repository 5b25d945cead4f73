// Array copies in hot code: overlapping ranges, all types, every kind of invalid argument, short and long.
import java.util.*;

public class Array_copies {
    static void copy(Object from, int start, Object to, int at, int count) { System.arraycopy(from, start, to, at, count); }

    static String tried(Object from, int start, Object to, int at, int count) {
        try {
            copy(from, start, to, at, count);
            return "done";
        } catch (RuntimeException e) {
            return e.getClass().getSimpleName() + ": " + e.getMessage();
        }
    }

    static int[] ints(int n) {
        int[] a = new int[n];
        for (int i = 0; i < n; i++) a[i] = i * 31;
        return a;
    }

    static long usual() {
        long sum = 0;
        int[] a = ints(20);
        copy(a, 0, a, 3, 17);
        copy(a, 5, a, 0, 15);
        byte[] b = {1, 2, 3, 4, 5, 6, 7};
        copy(b, 1, b, 2, 5);
        long[] c = {1, 2, 3}, d = new long[5];
        copy(c, 0, d, 2, 3);
        double[] f = {0.5, 1.5}, g = new double[2];
        copy(f, 1, g, 0, 1);
        Object[] o = {"x", 1, null}, p = new Object[3];
        copy(o, 0, p, 0, 3);
        String[] s = {"a", "b"};
        copy(s, 0, p, 1, 2);
        for (int x : a) sum = sum * 31 + x;
        sum += Arrays.hashCode(b) + Arrays.hashCode(d) + Arrays.hashCode(g) + Arrays.hashCode(p);
        for (int n = 0; n < 12; n++) {
            sum = sum * 31 + Arrays.hashCode(Arrays.copyOf(b, n)) + Arrays.hashCode(Arrays.copyOf(a, n))
                  + Arrays.hashCode(Arrays.copyOf(c, n)) + Arrays.hashCode(Arrays.copyOf("chars".toCharArray(), n));
            for (int end = n; end < 12; end++)
                if (n <= b.length)
                    sum = sum * 31 + Arrays.hashCode(Arrays.copyOfRange(b, n, end)) + Arrays.hashCode(Arrays.copyOfRange(a, n, end));
        }
        return sum + "some text".substring(2, 6).hashCode() + ("n" + sum + 'c' + 1.5).length();
    }

    static Object range(int[] a, int start, int end) {
        try {
            return Arrays.copyOfRange(a, start, end).length;
        } catch (RuntimeException e) {
            return e.getClass().getSimpleName() + ": " + e.getMessage();
        }
    }

    public static void main(String[] args) {
        long sum = 0;
        for (int i = 0; i < 6000; i++) sum += usual();
        System.out.println(sum);
        int[] a = ints(10), large = ints(400_000), other = new int[400_000];
        for (int round = 0; round < 3; round++) {
            System.out.println(tried(null, 0, a, 0, 0) + "; " + tried(a, 0, null, 0, 0));
            System.out.println(tried(a, -1, a, 0, 1) + "; " + tried(a, 0, a, -1, 1) + "; " + tried(a, 0, a, 0, -1));
            System.out.println(tried(a, 5, a, 0, 6) + "; " + tried(a, 0, a, 5, 6) + "; " + tried(a, 11, a, 0, 0));
            System.out.println(tried(a, Integer.MAX_VALUE, a, 0, 1) + "; " + tried(a, 1, a, 0, Integer.MAX_VALUE));
            System.out.println(tried(a, 0, new long[1], 0, 1) + "; " + tried("x", 0, a, 0, 1) + "; " + tried("x", 0, "y", 0, 0));
            System.out.println(tried(new Object[]{"x", 1}, 0, new String[2], 0, 2) + "; " + tried(a, 10, a, 10, 0));
            System.out.println(tried(large, 1, other, 0, 399_999) + " " + Arrays.hashCode(other) + "; " + tried(large, 1, large, 0, 399_999));
            System.out.println(range(a, 11, 12) + "; " + range(a, 5, 4) + "; " + range(a, -1, 4) + "; " + range(a, 10, 12) + "; "
                               + range(large, 7, 300_000));
            for (int i = 0; i < 3000; i++) tried(a, 5, a, 0, 6);
        }
    }
}
