import java.util.ArrayList;
import java.util.List;
import java.util.function.Supplier;

/** Boxes that compiled code need not allocate: wherever one escapes, its identity must be as valueOf gives it. */
public class Virtual_boxes {
    static Object kept;
    static int traps;

    static void keep(Object o) { kept = o; }

    static Integer sumInts(int n) { Integer s = 0; for (int i = 0; i < n; i++) s += i % 7; return s; }
    static Long sumLongs(int n) { Long s = -5L; for (int i = 0; i < n; i++) s += i; return s; }
    static Short sumShorts(int n) { Short s = 0; for (int i = 0; i < n; i++) s = (short) (s + i); return s; }
    static Byte sumBytes(int n) { Byte s = 0; for (int i = 0; i < n; i++) s = (byte) (s + i); return s; }
    static Character sumChars(int n) { Character s = 'a'; for (int i = 0; i < n; i++) s = (char) (s + i); return s; }

    /** Two boxes of a small value are one object, two of a large value are different objects. */
    static int same(int a, int b) {
        Integer x = a, y = b;
        return (x == y ? 1 : 0) + (x.equals(y) ? 2 : 0);
    }

    static boolean sameChars(char a, char b) { Character x = a, y = b; return x == y; }

    /** Escapes in a branch that is rarely taken. */
    static int rarely(int i) {
        Integer box = i % 300 - 150;
        Integer other = box + 1;
        if (i % 5003 == 0) {
            keep(box);
            traps += kept == Integer.valueOf(i % 300 - 150) ? 1 : 0;
            traps += other == Integer.valueOf(i % 300 - 149) ? 1 : 0;
        }
        return box + other;
    }

    /** An exception, with boxes in the frame that catches it. */
    static int throwing(int[] a, int i) {
        Integer before = i;
        Long wide = (long) i << 33;
        try {
            before += a[i & 15];
        } catch (ArrayIndexOutOfBoundsException e) {
            return (int) (before + wide.hashCode() + (before == (Object) Integer.valueOf(i) ? 1 : 0));
        }
        return before;
    }

    static int perhapsNull(int i) {
        Integer box = i % 1000 == 999 ? null : Integer.valueOf(i);
        try {
            return box + 1;
        } catch (NullPointerException e) {
            return -1;
        }
    }

    static int locked(int i) {
        Integer box = i & 63;
        synchronized (box) {
            return Thread.holdsLock(box) ? box : -1;
        }
    }

    /** A box that escapes once, after a loop that makes many. */
    static List<Integer> sums(int n) {
        List<Integer> all = new ArrayList<>();
        for (int i = 0; i < n; i++) {
            Integer s = 0;
            for (int k = 0; k < i % 40; k++) s += k;
            all.add(s);
        }
        return all;
    }

    /** Two references to a box: both denote one object. */
    static boolean twoNames(int n) {
        Integer a = 1000, first = a;
        for (int i = 0; i < n; i++) {
            first = a;
            a = a + 0;
        }
        Integer again = a;
        return again == a && first != (Object) again;
    }

    static Object supplied(Supplier<?> s) { return s.get(); }

    public static void main(String[] args) {
        int[] few = new int[12];
        long sum = 0;
        int identical = 0;
        for (int round = 0; round < 3000; round++) {
            sum += sumInts(round % 60) + sumLongs(round % 50) + sumShorts(round % 70) + sumBytes(round % 30) + sumChars(round % 20);
            identical += sumInts(round % 60) == sumInts(round % 60) ? 1 : 0;
            identical += sumLongs(round % 20) == sumLongs(round % 20) ? 1 : 0;
            identical += sumBytes(round % 30) == sumBytes(round % 30) ? 1 : 0;
            identical += sumShorts(round % 30) == sumShorts(round % 30) ? 1 : 0;
            identical += sumChars(round % 10) == sumChars(round % 10) ? 1 : 0;
            for (int i = 0; i < 40; i++) {
                int k = round * 40 + i;
                sum = sum * 31 + rarely(k) + throwing(few, k) + perhapsNull(k) + locked(k);
                sum += same(k % 300 - 150, k % 300 - 150) + same(k, k + 1) + (sameChars((char) (k & 255), (char) (k & 255)) ? 1 : 0);
            }
            final int r = round;
            sum += supplied(() -> r % 200).hashCode();
        }
        System.out.println(sum + " " + identical + " " + traps);
        int shared = 0;
        List<Integer> all = sums(20_000);
        for (int i = 40; i < all.size(); i++) if (all.get(i) == all.get(i - 40)) shared++;
        System.out.println(shared + " " + twoNames(20_000));
    }
}
