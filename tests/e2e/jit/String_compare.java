// Strings and byte arrays compared in hot code: lengths up to several words, a difference at every position, differing
// bytes past the end, both encodings, null, the same object and other classes.
import java.util.*;

public class String_compare {
    static boolean equal(String a, Object b) { return a.equals(b); }
    static int order(String a, String b) { return a.compareTo(b); }
    static boolean equal(byte[] a, byte[] b) { return Arrays.equals(a, b); }

    static String text(int length, int changed, char to) {
        char[] c = new char[length];
        for (int i = 0; i < length; i++) c[i] = (char) ('a' + i * 7 % 26);
        if (changed >= 0) c[changed] = to;
        return new String(c);
    }
    static byte[] bytes(int length, int changed) {
        byte[] b = new byte[length];
        for (int i = 0; i < length; i++) b[i] = (byte) (i * 37);
        if (changed >= 0) b[changed] ^= (byte) 0x80;
        return b;
    }

    static long all() {
        long sum = 0;
        for (int length = 0; length < 36; length++) {
            String own = text(length, -1, ' '), copy = text(length, -1, ' '), longer = text(length + 1, -1, ' ');
            if (!equal(own, copy) || !equal(own, own) || equal(own, longer) || order(own, longer) != -1 || order(own, copy) != 0)
                throw new AssertionError(own);
            if (!equal(bytes(length, -1), bytes(length, -1)) || equal(bytes(length, -1), bytes(length + 1, -1)))
                throw new AssertionError(length);
            for (int i = 0; i < length; i++) {
                for (char to : new char[]{'!', '\u00e9', '\u20ac'}) {
                    String other = text(length, i, to);
                    if (equal(own, other) || equal(other, own)) throw new AssertionError(other);
                    int order = order(own, other);
                    if (order != own.charAt(i) - to || order(other, own) != -order) throw new AssertionError(other + order);
                    sum = sum * 31 + order;
                }
                if (equal(bytes(length, -1), bytes(length, i))) throw new AssertionError(i);
            }
        }
        if (equal("x", null) || equal("x", (Object) 'x') || equal((byte[]) null, new byte[0]) || !equal((byte[]) null, null))
            throw new AssertionError();
        return sum;
    }

    public static void main(String[] args) {
        long sum = 0;
        for (int i = 0; i < 40; i++) sum += all();
        System.out.println(sum);
        try {
            equal((String) null, "x");
        } catch (NullPointerException e) {
            System.out.println(e.getMessage());
        }
        try {
            order("x", null);
        } catch (NullPointerException e) {
            System.out.println("null");
        }
    }
}
