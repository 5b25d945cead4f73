/** Sieve of Eratosthenes on a byte array: integer loops and byte stores. */
final class Sieve implements Kernel {
    private static final int LIMIT = 12_000_000;

    @Override
    public long run() {
        byte[] composite = new byte[LIMIT + 1];
        long sum = 0;
        int count = 0;
        for (int i = 2; i <= LIMIT; i++) {
            if (composite[i] != 0) continue;
            count++;
            sum += i;
            for (long j = (long) i * i; j <= LIMIT; j += i) composite[(int) j] = 1;
        }
        return sum * 31 + count;
    }
}
