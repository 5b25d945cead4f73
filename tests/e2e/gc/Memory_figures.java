// vm: -Xmx64m
// Runtime memory figures are sane, garbage is reclaimed, live data survives many collections.
import java.util.*;

public class Memory_figures {
    static Object sink;

    public static void main(String[] args) {
        Runtime r = Runtime.getRuntime();
        System.out.println((r.totalMemory() > 0) + " " + (r.freeMemory() <= r.totalMemory()) + " " + (r.totalMemory() <= r.maxMemory()) + " " + (r.maxMemory() <= 70L << 20) + " " + (r.availableProcessors() >= 1));
        long allocated = 0;
        Map<Integer, byte[]> live = new HashMap<>();
        Random rnd = new Random(1);
        int wrong = 0;
        for (int i = 0; i < 4000; i++) {
            byte[] b = new byte[1 + rnd.nextInt(100_000)];
            b[0] = (byte) i;
            b[b.length - 1] = (byte) (i * 3);
            allocated += b.length;
            sink = b;
            if (i % 40 == 0) live.put(i, b);
        }
        for (Map.Entry<Integer, byte[]> e : live.entrySet()) {
            byte[] b = e.getValue();
            if (b.length > 1 && b[0] != (byte) (int) e.getKey() || b[b.length - 1] != (byte) (e.getKey() * 3)) wrong++;
        }
        System.out.println((allocated > 150_000_000L) + " live " + live.size() + " wrong " + wrong);
        live.clear();
        sink = null;
        System.gc();
        System.out.println(r.totalMemory() - r.freeMemory() < 60L << 20);
        Object[] chain = null;
        for (int i = 0; i < 200_000; i++) chain = new Object[]{i % 1000 == 0 ? null : chain};
        int n = 0;
        for (Object[] c = chain; c != null; c = (Object[]) c[0]) n++;
        System.out.println(n);
        LinkedList<int[]> q = new LinkedList<>();
        long sum = 0;
        for (int i = 0; i < 20_000; i++) { q.add(new int[]{i, -i, i * 2}); if (q.size() > 100) { int[] x = q.removeFirst(); sum += x[0] + x[1] + x[2]; } }
        System.out.println(sum);
    }
}
