/** A third of the iterations call a method of 121 to 180 bytes on the caller's fields, and one on arguments alone. */
public final class Fields {
    private int a, b, c, d;

    private void own(int x) {
        a += x;
        b ^= a + (x & 7);
        if ((b & 1) == 0) c += b * 3 + a;
        else c -= b + a * 5;
        d += c ^ a;
        if (d > 100_000_000) d -= 100_000_000;
        if (d < -100_000_000) d += 100_000_000;
        a = (a << 1 ^ a >>> 15) & 0xffff;
        b = b << 3 ^ b >>> 9;
    }

    private static int foreign(int w, int x, int y, int z) {
        w += x;
        x ^= w + (x & 7);
        if ((x & 1) == 0) y += x * 3 + w;
        else y -= x + w * 5;
        z += y ^ w;
        if (z > 100_000_000) z -= 100_000_000;
        if (z < -100_000_000) z += 100_000_000;
        w = (w << 1 ^ w >>> 15) & 0xffff;
        x = (x << 3 ^ x >>> 9) & 0xffff;
        w += (w << 1 ^ x >>> 15) & 0xffff;
        x += (x << 3 ^ w >>> 9) & 0xffff;
        w -= (y << 1 ^ x >>> 15) & 0xffff;
        y += (z << 1 ^ x >>> 15) & 0xffff;
        z += (y << 1 ^ x >>> 11) & 0xffff;
        return w + x + y + z;
    }

    private int run(int times) {
        for (int i = 0; i < times; i++) {
            a += i;
            b ^= c;
            if (i % 3 != 0) continue;
            own(i);
            d += foreign(a, b, c, d) & 15;
        }
        return a + b + c + d;
    }

    public static void main(String[] args) {
        Fields f = new Fields();
        int sum = 0, times = args.length > 0 ? Integer.parseInt(args[0]) : 300;
        // Makes the template code of these methods count before run() is hot.
        for (int i = 0; i < 2000; i++) {
            f.own(i);
            sum += foreign(i, sum, i, sum);
        }
        for (int i = 0; i < times; i++) sum = sum * 31 + f.run(60);
        System.out.println(sum);
    }
}
