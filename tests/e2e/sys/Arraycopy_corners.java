// System.arraycopy: overlaps, zero lengths, bounds, types, partial copies before ArrayStoreException.
import java.util.Arrays;

public class Arraycopy_corners {
    static void t(Object s, int sp, Object d, int dp, int n) {
        try {
            System.arraycopy(s, sp, d, dp, n);
            System.out.println("ok");
        } catch (NullPointerException e) {
            System.out.println("NPE");
        } catch (RuntimeException e) {
            System.out.println(e);
        }
    }

    public static void main(String[] args) {
        int[] a = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9};
        System.arraycopy(a, 0, a, 3, 5);
        System.out.println(Arrays.toString(a));
        System.arraycopy(a, 4, a, 1, 6);
        System.out.println(Arrays.toString(a));
        System.arraycopy(a, 10, a, 10, 0);
        byte[] b = new byte[33];
        for (int i = 0; i < b.length; i++) b[i] = (byte) i;
        System.arraycopy(b, 1, b, 0, 31);
        System.arraycopy(b, 0, b, 7, 20);
        System.out.println(Arrays.toString(b));
        long[] l = {1, 2, 3};
        double[] d = new double[4];
        char[] c = "chars".toCharArray();
        boolean[] z = {true, false, true};
        System.arraycopy(l, 0, l, 1, 2);
        System.arraycopy(c, 1, c, 0, 4);
        System.arraycopy(z, 0, z, 1, 2);
        System.arraycopy(new double[]{1.5, -0.0}, 0, d, 2, 2);
        System.out.println(Arrays.toString(l) + new String(c) + Arrays.toString(z) + Arrays.toString(d));
        Object[] o = {"a", "b", 3, "d"};
        String[] s = new String[4];
        t(o, 0, s, 0, 4);
        System.out.println(Arrays.toString(s));
        t(s, 0, o, 1, 3);
        System.out.println(Arrays.toString(o));
        t(new Integer[]{1, 2}, 0, new Number[3], 1, 2);
        t(new Object[]{null, null}, 0, s, 0, 2);
        t(new int[2][2], 0, new Object[2], 0, 2);
        t(new int[2][2], 0, new long[2][2], 0, 1);
        t(null, 0, a, 0, 1); t(a, 0, null, 0, 1);
        t(a, 0, l, 0, 1); t(a, 0, o, 0, 1); t(o, 0, a, 0, 1); t("s", 0, a, 0, 0); t(a, 0, "s", 0, 0); t(a, 0, b, 0, 0);
        t(a, -1, a, 0, 1); t(a, 0, a, -1, 1); t(a, 0, a, 0, -1); t(a, 8, a, 0, 3); t(a, 0, a, 8, 3); t(a, 11, a, 0, 0); t(a, Integer.MAX_VALUE, a, 0, 5); t(a, 1, a, 0, Integer.MAX_VALUE); t(o, 3, o, 0, 2); t(new Object[0], 0, o, 0, 1);
        Object[] many = new Object[5000], copy = new Object[5000];
        for (int i = 0; i < many.length; i++) many[i] = i;
        System.arraycopy(many, 0, copy, 1, 4999);
        System.arraycopy(copy, 1, copy, 0, 4999);
        int same = 0;
        for (int i = 0; i < 4999; i++) if (copy[i] == many[i]) same++;
        System.out.println(same);
    }
}
