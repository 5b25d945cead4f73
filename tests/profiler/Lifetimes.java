/** Objects of known lifetimes, in bytes that are allocated meanwhile: garbage, those of a queue of fixed length, and some that live on. */
public class Lifetimes {
    static final int ROUNDS = 100_000, LENGTH = 10_000, KEPT = 50, COLLECTED = 2_500, SIZE = 1_000;
    static final byte[][] queue = new byte[LENGTH][], kept = new byte[ROUNDS / KEPT][];
    static byte[] last;

    static void brief() { last = new byte[SIZE]; }
    static void queued(int round) { queue[round % LENGTH] = new byte[SIZE]; }
    static void immortal(int round) { kept[round / KEPT] = new byte[SIZE]; }

    public static void main(String[] args) {
        for (int round = 0; round < ROUNDS; round++) {
            brief();
            queued(round);
            if (round % KEPT == 0) immortal(round);
            if (round % COLLECTED == 0) System.gc();
        }
        System.out.println(kept.length + last.length);
    }
}
