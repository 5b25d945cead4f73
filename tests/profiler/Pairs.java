// A bug that only scalar pairs reveal: `Pairs SEED`. With an odd seed some ranges start past their end. No branch and
// no sign of a value shows it, and the run fails only at its end, with a negative array size.
public class Pairs {
    static int limit, checksum;
    long total;
    float scale;
    double mean;
    short small;
    byte least;
    static long last;

    static int random(int seed, int round) {
        int r = seed * 1103515245 + round * 12345 + 77;
        return r >>> 16 & 63;
    }

    // Less than 100 if start > end; both are positive.
    static int fill(int start, int end, int n) {
        int length = end + 100;
        int from = start + 100;
        int used = length * 3 + from;
        checksum += used * 31 + n;
        return 100 + length - from;
    }

    void types(int n) {
        long big = n * 1000000007L, other = big >>> 3;
        total = big + other;
        float half = n / 2f, third = n / 3f;
        scale = half - third;
        double d = half, q = d / 7;
        mean = q - d;
        small = (short) (n * 1001);
        least = (byte) n;
        last = total - big;
        char c = (char) n;
        for (int i = n & 3, k = 0; k < 3; k++, i += 2) checksum += i * k + c;
        double nan = 0.0 / (n & 0);
        mean = nan;
        checksum += (int) (total + last) + (int) (scale + mean) + small + least;
    }

    static int many(int a, int b, int c, int d, int e, int f, int g, int h, int i, int j) {
        int s = a + 1;
        return s * 3 + a + b * 2 + c * 3 + d * 5 + e * 7 + f * 11 + g * 13 + h * 17 + i * 19 + j * 23;
    }

    public static void main(String[] args) {
        int seed = Integer.parseInt(args[0]);
        int[] fails = new int[2];
        Pairs p = new Pairs();
        for (int round = 0; round < 1000; round++) {
            int start = random(seed / 2, round) / 2 + 1, end = start + random(seed / 2, round + 7) / 3 + 1;
            fails[fill(start + (seed & 1) * (round % 5 / 4) * (end - start + 3), end, round) - 100 >>> 31]++;
            p.types(round - 100);
            checksum += many(1, 2, 3, 4, 5, 6, 7, 8, 9, round);
        }
        System.out.println(checksum);
        checksum = new int[-fails[1]].length;
    }
}
