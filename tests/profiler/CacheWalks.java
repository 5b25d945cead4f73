/** Accesses to memory whose misses in caches of known geometry follow from the source. */
public class CacheWalks {
    static final int INTS = 2 << 20, STEP = 16, SIDE = 1024;
    static int total;
    int count;

    /** One access to each line of 8 MB. */
    static int walk(int[] a) {
        int sum = 0;
        for (int i = 0; i < a.length; i += STEP) sum += a[i];
        return sum;
    }

    static int byRows(int[][] m) {
        int sum = 0;
        for (int r = 0; r < SIDE; r++)
            for (int c = 0; c < SIDE; c++) sum += m[r][c];
        return sum;
    }

    static int byColumns(int[][] m) {
        int sum = 0;
        for (int c = 0; c < SIDE; c++)
            for (int r = 0; r < SIDE; r++) sum += m[r][c];
        return sum;
    }

    /** A field, a static field and elements of one line, over and over. */
    void repeat(long[] few, int times) {
        for (int i = 0; i < times; i++) {
            count += i;
            total += count;
            few[i & 3]++;
        }
    }

    public static void main(String[] args) {
        int[] a = new int[INTS];
        int[][] m = new int[SIDE][SIDE];
        for (int i = 0; i < 3; i++) total += walk(a);
        total += byRows(m) + byColumns(m);
        new CacheWalks().repeat(new long[4], 100000);
        System.out.println(total);
    }
}
