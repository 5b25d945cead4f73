// vm: -Xmx48m
// -Xmx bounds the total size of live objects of any size: memory runs out at that bound, neither beyond it nor long
// before. The handler of the error has all of the memory again.
import java.lang.management.*;

public class Heap_full {
    static long payload;

    static void fill(int size) {
        Object[] all = new Object[1000];
        for (int n = 0;; n++) {
            if (n == all.length) {
                Object[] next = new Object[1000];
                next[0] = all;
                all = next;
                payload += 4016;  // java's references take four bytes
                n = 1;
            }
            all[n] = size == 16 ? new Object() : new byte[size - 16];
            payload += size;
        }
    }

    static String full(int size) {
        long max = Runtime.getRuntime().maxMemory();
        payload = 0;
        try {
            fill(size);
        } catch (OutOfMemoryError e) {
            byte[] most = new byte[(int) (max / 3)];
            MemoryUsage usage = ManagementFactory.getMemoryMXBean().getHeapMemoryUsage();
            boolean figures = usage.getMax() == max && usage.getUsed() >= most.length && usage.getCommitted() <= max
                              && Runtime.getRuntime().totalMemory() <= max;
            // java needs far more memory for a 1 MB array than its size.
            boolean enough = payload > max / 100 * 75 || size == 1 << 20;
            return size + " " + (payload <= max) + " " + enough + " " + figures;
        }
        return "everything fits";
    }

    public static void main(String[] args) {
        for (int size : new int[] {16, 100, 1400, 2500, 40_000, 1 << 20}) System.out.println(full(size));
    }
}
