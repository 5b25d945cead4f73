import java.lang.reflect.Field;
import java.util.Objects;

/** Calls from compiled code to methods that the VM implements; their entries are sampled like all others. */
public class CopiesLeaves {
    static int count(String s, char wanted) {
        int n = 0;
        for (int i = 0; i < s.length(); i++)
            if (s.charAt(i) == wanted) n = Math.addExact(n, 1);
        return n;
    }

    static int odd(int i) {
        return i & 1;
    }

    /** Common and rare cases of operations that compiled code does inline. */
    static long cases(int i, String[] texts) {
        String text = texts[i % texts.length];
        long sum = text.length() + text.hashCode();
        try {
            sum += text.charAt(i % 7 - 1) + Objects.checkIndex(i % 5, 4);
            sum += Math.subtractExact(Integer.MIN_VALUE + 3, i % 5) + Math.multiplyExact(1 << 28, i % 9);
            sum += Math.multiplyExact(1L << 60, (long) (i % 9)) + Math.toIntExact((long) Integer.MAX_VALUE - 2 + i % 4);
        } catch (IndexOutOfBoundsException | ArithmeticException e) {
            sum++;
        }
        return sum;
    }

    /** A string that was allocated but never constructed has a null array (HotSpot crashes). */
    static int unmade() throws Exception {
        Field field = Class.forName("sun.misc.Unsafe").getDeclaredField("theUnsafe");
        field.setAccessible(true);
        String unmade = (String) ((sun.misc.Unsafe) field.get(null)).allocateInstance(String.class);
        int thrown = 0;
        for (int i = 0; i < 100; i++) {
            try {
                if (i % 4 == 0) unmade.length();
                else if (i % 4 == 1) unmade.charAt(i);
                else if (i % 4 == 2) unmade.hashCode();
                else unmade.equals("a");
            } catch (NullPointerException e) {
                thrown++;
            }
        }
        return thrown;
    }

    public static void main(String[] args) throws Exception {
        String text = "abracadabra".repeat(20);
        int sum = 0;
        for (int i = 0; i < 2000; i++) sum += count(text, 'a') + odd(i) + System.identityHashCode(args) % 1;
        String[] texts = {"", "a", "\0\0", "\u4e00\u4e8c", "abcdef", "h\u00e9las", new String(new char[] {'x', '\u20ac', 'z'})};
        long more = 0;
        for (int i = 0; i < 2000; i++) more += cases(i, texts);
        System.out.println(sum + " " + more + " " + unmade());
    }
}
