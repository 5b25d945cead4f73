/** SHA-1 in Java over generated blocks: int rotations and array rounds. */
final class Sha implements Kernel {
    private final int[] w = new int[80];
    private int h0 = 0x67452301, h1 = 0xefcdab89, h2 = 0x98badcfe, h3 = 0x10325476, h4 = 0xc3d2e1f0;

    private static int rotate(int x, int n) { return x << n | x >>> 32 - n; }

    private void block(byte[] data, int at) {
        for (int i = 0; i < 16; i++, at += 4) {
            w[i] = data[at] << 24 | (data[at + 1] & 0xff) << 16 | (data[at + 2] & 0xff) << 8 | data[at + 3] & 0xff;
        }
        for (int i = 16; i < 80; i++) w[i] = rotate(w[i - 3] ^ w[i - 8] ^ w[i - 14] ^ w[i - 16], 1);
        int a = h0, b = h1, c = h2, d = h3, e = h4;
        for (int i = 0; i < 80; i++) {
            int f, k;
            if (i < 20) {
                f = b & c | ~b & d;
                k = 0x5a827999;
            } else if (i < 40) {
                f = b ^ c ^ d;
                k = 0x6ed9eba1;
            } else if (i < 60) {
                f = b & c | b & d | c & d;
                k = 0x8f1bbcdc;
            } else {
                f = b ^ c ^ d;
                k = 0xca62c1d6;
            }
            int t = rotate(a, 5) + f + e + k + w[i];
            e = d;
            d = c;
            c = rotate(b, 30);
            b = a;
            a = t;
        }
        h0 += a;
        h1 += b;
        h2 += c;
        h3 += d;
        h4 += e;
    }

    @Override
    public long run() {
        byte[] data = new byte[64 * 64];
        for (int i = 0; i < data.length; i++) data[i] = (byte) (i * 131 >> 2);
        for (int round = 0; round < 650; round++) {
            for (int at = 0; at < data.length; at += 64) block(data, at);
            data[round] ^= (byte) h0;
        }
        return ((long) h0 << 32 | h1 & 0xffffffffL) ^ h2 * 31L ^ h3 * 17L ^ h4;
    }
}
