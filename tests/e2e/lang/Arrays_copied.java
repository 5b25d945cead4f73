// Arrays of every element type and every length up to seventy, copied whole and in part, compared and filled: class and
// contents of the copy, ranges past the end, invalid arguments. Copies stay alive while others are made.
import java.util.*;

public class Arrays_copied {
    static final Object[][] KINDS = {new Object[0], new String[0], new Integer[0], new Object[0][], new int[0][], new Comparable[0]};
    static long sum;

    static void add(long v) { sum = sum * 31 + v; }

    static Object element(Object[] kind, int i) {
        return kind instanceof Object[][] ? new Object[] {i} : kind instanceof int[][] ? new int[] {i} : kind instanceof String[] ? "s" + i : (Object) i;
    }

    static int mark(Object o) {
        return o == null ? 7 : o instanceof int[] a ? a[0] : o instanceof Object[] b ? (Integer) b[0] : o.hashCode();
    }

    static String refused(Runnable r) {
        try {
            r.run();
            return "done";
        } catch (RuntimeException e) {
            return e.getClass().getSimpleName();
        }
    }

    static void references(int n) {
        List<Object[]> kept = new ArrayList<>();
        for (Object[] kind : KINDS) {
            Object[] from = Arrays.copyOf(kind, n);
            for (int i = 0; i < n; i++) if (i % 5 != 3) from[i] = element(kind, i);
            for (int k = 0; k < 4; k++) {
                int start = k * n / 4, end = start + (k == 3 ? n + 9 : n / 3);
                kept.add(Arrays.copyOfRange(from, start, end));
                kept.add(Arrays.copyOf(from, k * n / 2));
                kept.add(from.clone());
            }
            Object[] last = kept.get(kept.size() - 1);
            if (last.getClass() != kind.getClass() || kept.get(kept.size() - 3).getClass() != kind.getClass()) throw new AssertionError();
            System.arraycopy(from, n / 3, from, n / 2, n - n / 2);
            System.arraycopy(from, n / 2, from, 0, n - n / 2);
            kept.add(from);
        }
        for (Object[] a : kept) for (Object o : a) add(mark(o));
        add(kept.size());
    }

    static void primitives(int n) {
        byte[] b = new byte[n];
        char[] c = new char[n];
        int[] i = new int[n];
        long[] l = new long[n];
        short[] s = new short[n];
        double[] d = new double[n];
        boolean[] z = new boolean[n];
        for (int k = 0; k < n; k++) {
            b[k] = (byte) (l[k] = i[k] = c[k] = (char) (k * 777));
            d[k] = s[k] = (short) i[k];
            z[k] = k % 3 == 0;
        }
        for (int k = -1; k < n; k++) {
            byte[] b2 = b.clone();
            char[] c2 = Arrays.copyOf(c, n);
            int[] i2 = Arrays.copyOfRange(i, 0, n);
            long[] l2 = Arrays.copyOf(l, n);
            if (k >= 0) {
                b2[k] ^= 4;
                c2[k] ^= 0x400;
                i2[k] ^= 1 << 31;
                l2[k] ^= 1L << 40;
            }
            boolean same = Arrays.equals(b, b2) && Arrays.equals(c, c2) && Arrays.equals(i, i2) && Arrays.equals(l, l2);
            boolean some = Arrays.equals(b, b2) || Arrays.equals(c, c2) || Arrays.equals(i, i2) || Arrays.equals(l, l2);
            if (same != (k < 0) || some != same) throw new AssertionError(n + " " + k);
            add(Arrays.compare(i, i2) + Arrays.mismatch(l, l2) + new String(c2).compareTo(new String(c)) + new String(b2, 0).compareTo(new String(b, 0)));
        }
        for (int to = 0; to < n + 20; to += 7) {
            add(Arrays.hashCode(Arrays.copyOf(b, to)) + Arrays.hashCode(Arrays.copyOf(c, to)) + Arrays.hashCode(Arrays.copyOf(i, to)));
            add(Arrays.hashCode(Arrays.copyOf(l, to)) + Arrays.hashCode(Arrays.copyOf(s, to)) + Arrays.hashCode(Arrays.copyOf(d, to)));
            add(Arrays.hashCode(Arrays.copyOf(z, to)) + Arrays.hashCode(Arrays.copyOfRange(b, n / 2, n / 2 + to)));
            add(Arrays.hashCode(Arrays.copyOfRange(c, n / 3, n / 3 + to)) + Arrays.hashCode(Arrays.copyOfRange(l, n, n + to)));
        }
        add(Arrays.equals(i, Arrays.copyOf(i, n + 1)) || Arrays.equals(l, null) ? 1 : 0);
        add(Arrays.equals((int[]) null, null) && !Arrays.equals(null, c) ? 1 : 0);
    }

    public static void main(String[] args) {
        for (int round = 0; round < 12; round++)
            for (int n = 0; n <= 70; n++) {
                references(n);
                primitives(n);
            }
        System.out.println(sum);
        String[] three = {"a", "b", "c"};
        for (int i = 0; i < 4000; i++) {
            String s = refused(() -> Arrays.copyOf(three, -1)) + " " + refused(() -> Arrays.copyOfRange(three, 4, 5)) + " "
                + refused(() -> Arrays.copyOfRange(three, 2, 1)) + " " + refused(() -> Arrays.copyOfRange(three, -1, 1)) + " "
                + refused(() -> Arrays.copyOf((Object[]) null, 1)) + " " + refused(() -> Arrays.copyOfRange((String[]) null, 0, 1)) + " "
                + refused(() -> Arrays.copyOf((Object[]) three, 4)[3] = 1) + " " + refused(() -> Arrays.copyOf(new int[3], -2));
            if (i % 3999 == 0) System.out.println(s);
        }
    }
}
