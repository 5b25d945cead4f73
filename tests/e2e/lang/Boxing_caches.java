// Boxing, unboxing, caches, null unboxing, mixed ternaries, compound assignment on boxes.
import java.util.*;

public class Boxing_caches {
    static Integer box(int i) { return i; }

    public static void main(String[] args) {
        System.out.println((box(127) == box(127)) + " " + (box(128) == box(128)) + " " + (box(-128) == box(-128)) + " " + (box(-129) == box(-129)) + " " + box(1000).equals(box(1000)));
        Long a = 127L, b = 127L;
        Character c1 = 'a', c2 = 'a';
        Byte b1 = (byte) 200, b2 = (byte) 200;
        Boolean t1 = true, t2 = Boolean.valueOf("TRUE");
        Short s1 = -5, s2 = -5;
        System.out.println((a == b) + " " + (c1 == c2) + " " + (b1 == b2) + " " + (t1 == t2) + " " + (s1 == s2) + " " + a.equals(127) + " " + new Object().equals(null));
        try {
            Integer none = null;
            int x = none;
            System.out.println(x);
        } catch (NullPointerException e) {
            System.out.println("NPE");
        }
        Object o = true ? 1 : 2.0;
        Object p = true ? (Object) 1 : 2.0;
        Object q = false ? 'a' : 98;
        char ch = true ? 98 : 'a';
        System.out.println(o + " " + p + " " + q + " " + ch + " " + q.getClass().getSimpleName());
        Integer i = 5;
        i++;
        i += 3;
        i <<= 2;
        Double d = 1.0;
        d /= 3;
        Character c = 'x';
        c++;
        Boolean z = false;
        z |= true;
        System.out.println(i + " " + d + " " + c + " " + z);
        Map<Character, Integer> count = new TreeMap<>();
        for (char k : "mississippi".toCharArray()) count.merge(k, 1, Integer::sum);
        System.out.println(count);
        List<Integer> l = new ArrayList<>(List.of(5, 6, 7, 1));
        l.remove(1);
        l.remove(Integer.valueOf(1));
        System.out.println(l);
        System.out.println(new HashSet<>(Arrays.<Object>asList(1, 1L, (short) 1, '1', 1.0, 1f)).size());
        long sum = 0;
        for (Integer k = 0; k < 1000; k++) sum += k;
        System.out.println(sum);
        System.out.println(Integer.valueOf(3).hashCode() + Long.valueOf(1L << 32 | 5).hashCode() + Double.valueOf(1.5).hashCode() + Boolean.TRUE.hashCode() + Character.valueOf('c').hashCode());
    }
}
