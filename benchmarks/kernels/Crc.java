/** CRC-32 and Adler-32 computed in Java over a byte array: byte loads, table lookups, shifts. */
final class Crc implements Kernel {
    private static final int[] table = new int[256];

    static {
        for (int i = 0; i < 256; i++) {
            int c = i;
            for (int k = 0; k < 8; k++) c = (c & 1) != 0 ? c >>> 1 ^ 0xedb88320 : c >>> 1;
            table[i] = c;
        }
    }

    @Override
    public long run() {
        byte[] data = new byte[250_000];
        for (int i = 0; i < data.length; i++) data[i] = (byte) (i * i >> 3);
        long sum = 0;
        for (int round = 0; round < 50; round++) {
            int crc = ~round, a = 1, b = 0;
            for (byte x : data) {
                crc = table[(crc ^ x) & 0xff] ^ crc >>> 8;
                a += x & 0xff;
                b += a;
            }
            sum = sum * 31 + ~crc + (a % 65521 << 16) + b % 65521;
        }
        return sum;
    }
}
