// vm: -Xmx48m
// OutOfMemoryError is caught, memory is usable afterwards, and oversized arrays are rejected.
import java.util.*;

public class Memory_exhausted {
    static void hog(int kind) {
        List<Object> l = new ArrayList<>();
        for (int i = 0; ; i++) {
            switch (kind) {
                case 0: l.add(new byte[1 << 20]); break;
                case 1: l.add(new Object[1 << 16]); break;
                default: l.add(new long[1 << 15]); break;
            }
            if (i > 100000) return;
        }
    }

    public static void main(String[] args) {
        for (int kind = 0; kind < 3; kind++) {
            try {
                hog(kind);
                System.out.println("never full");
            } catch (OutOfMemoryError e) {
                System.out.println("caught " + kind + " " + e.getMessage());
            }
        }
        try {
            int[] big = new int[Integer.MAX_VALUE];
            System.out.println(big.length);
        } catch (OutOfMemoryError e) {
            System.out.println("huge array refused");
        }
        try {
            long[][] big = new long[1 << 12][1 << 12];
            System.out.println(big.length);
        } catch (OutOfMemoryError e) {
            System.out.println("huge matrix refused");
        }
        int sum = 0;
        for (int i = 0; i < 200; i++) sum += new byte[100000].length;
        System.out.println(sum + " " + (Runtime.getRuntime().maxMemory() <= 64L << 20));
    }
}
