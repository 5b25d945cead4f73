// vm: -Xmx64m
// Arrays of half the heap, one after the other: no dead one may be retained. Then an OutOfMemoryError whose handler
// drops the list that filled the heap, and allocates.
import java.util.*;

public class Dead_arrays {
    static int use(int i) {
        long[] a = new long[4 << 20];
        a[i] = i;
        return (int) a[i];
    }

    static List<byte[]> fill(List<byte[]> list) {
        for (;;) list.add(new byte[1 << 20]);
    }

    static String dropped() {
        List<byte[]> list = new ArrayList<>();
        try {
            fill(list);
        } catch (OutOfMemoryError e) {
            int held = list.size();
            list = null;
            return (held > 20) + " " + new byte[40 << 20].length;
        }
        return "too much fits";
    }

    public static void main(String[] args) {
        int sum = 0;
        for (int i = 0; i < 6; i++) sum += use(i);
        System.out.println(sum);
        for (int i = 0; i < 3; i++) System.out.println(dropped());
    }
}
