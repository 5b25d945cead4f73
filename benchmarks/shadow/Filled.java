/** The cost of forking a heap: Filled MB MS PERCENT writes to that share of small objects for that time. */
public class Filled {
    public static void main(String[] args) {
        Object[] all = new Object[Integer.parseInt(args[0]) * 16];
        for (int i = 0; i < all.length; i++) {
            byte[][] blocks = new byte[16][];
            for (int k = 0; k < blocks.length; k++) blocks[k] = new byte[4080];
            all[i] = blocks;
        }
        int written = Math.max(1, all.length * Integer.parseInt(args[2]) / 100);
        long end = System.nanoTime() + Long.parseLong(args[1]) * 1_000_000, n = 0;
        for (; System.nanoTime() < end; n++) ((byte[][]) all[(int) (n * 7919 % written)])[(int) (n & 15)][5]++;
        System.out.println(n > 0);
    }
}
