// Values in registers, in spill slots and as constants at a deoptimisation: many of each kind are live after a call in
// which a class is loaded that invalidates the code, and the heap is collected.


public class Exit_values {
    static class Quiet {
        int run(int i) { return i & 3; }
    }

    // The call is megamorphic, so no target is inlined into the code that holds the values.
    interface Hook {
        int call(int i);
    }

    static class One implements Hook {
        public int call(int i) { return i & 1; }
    }

    static class Two implements Hook {
        public int call(int i) { return i & 2; }
    }

    static class Three implements Hook {
        public int call(int i) { return i & 4; }
    }

    static class Loads implements Hook {
        static int now;

        public int call(int i) {
            if (now == 0) return i & 7;
            int which = now;
            now = 0;
            int made = which == 1 ? new Late().run(i) : new Later().run(i);
            fill();
            return made;
        }
    }

    // Allocates objects of the kinds that the frames below hold, so that memory freed wrongly is reused.
    static void fill() {
        for (int round = 0; round < 3; round++) {
            System.gc();
            Object[] rubbish = new Object[4000];
            for (int i = 0; i < rubbish.length; i++)
                rubbish[i] = (i & 1) == 0 ? new int[] {-1, -1, -1} : new StringBuilder("rubbish").append(i);
        }
    }

    static class Late extends Quiet {
        @Override int run(int i) { return super.run(i) + 1; }
    }

    static class Silent {
        int run(int i) { return i & 5; }
    }

    static class Later extends Silent {
        @Override int run(int i) { return super.run(i) + 1; }
    }

    static long bits(double d) { return Double.doubleToRawLongBits(d); }

    static String kinds(Quiet q, Hook h, int i, long l, float f, double d) {
        int i1 = i * 31, i2 = i1 ^ 0x55, i3 = -i2, i4 = i3 >>> 3, i5 = i4 + i1;
        long l1 = l * 1_000_003L, l2 = l1 ^ l, l3 = ~l2, l4 = l3 >> 7, l5 = l4 * l1, l6 = l5 - l2;
        float f1 = f * 1.5f, f2 = f1 - f, f3 = -f2, f4 = f3 * f1;
        double d1 = d / 3, d2 = d1 * d, d3 = -d2, d4 = d3 + d1, d5 = d4 * d2, d6 = d5 - d;
        int[] a1 = {i, i1, i2}, a2 = {i3, i4, i5}, a3 = {i1, i3, i5};
        StringBuilder s1 = new StringBuilder().append(i), s2 = new StringBuilder().append(l), s3 = new StringBuilder().append(i5);
        long wide = 0x1234_5678_9abc_def0L;
        double exact = 0.1;
        int small = -7;
        String none = null;
        int answer = q.run(i) + h.call(i) + q.run(-i);
        StringBuilder out = new StringBuilder();
        out.append(answer).append(' ').append(i1).append(' ').append(i2).append(' ').append(i3).append(' ').append(i4).append(' ').append(i5);
        out.append(' ').append(l1).append(' ').append(l2).append(' ').append(l3).append(' ').append(l4).append(' ').append(l5).append(' ').append(l6);
        out.append(' ').append(Float.floatToRawIntBits(f1)).append(' ').append(Float.floatToRawIntBits(f2)).append(' ')
            .append(Float.floatToRawIntBits(f3)).append(' ').append(Float.floatToRawIntBits(f4));
        out.append(' ').append(bits(d1)).append(' ').append(bits(d2)).append(' ').append(bits(d3)).append(' ').append(bits(d4)).append(' ')
            .append(bits(d5)).append(' ').append(bits(d6));
        for (int k = 0; k < 3; k++) out.append(' ').append(a1[k]).append(' ').append(a2[k]).append(' ').append(a3[k]);
        out.append(' ').append(s1).append(' ').append(s2).append(' ').append(s3);
        out.append(' ').append(wide).append(' ').append(bits(exact)).append(' ').append(small).append(' ').append(none);
        return out.toString();
    }

    // Exits inside an inlined method: both frames hold values.
    static String nested(Quiet q, Hook h, int i, Object lock) {
        String text = "n" + i;
        int[] kept = {i, i + 1};
        String inner;
        synchronized (lock) {
            inner = kinds(q, h, i, i * 77L, i / 3f, i / 7.0);
        }
        return text + kept[0] + kept[1] + inner;
    }

    static int loop(Silent q, Hook[] hooks, int n, int loads) {
        int[] seen = new int[8];
        StringBuilder order = new StringBuilder();
        int sum = 0;
        for (int i = 0; i < n; i++) {
            int[] fresh = {i, sum};
            if (i == loads) Loads.now = 2;
            sum = sum * 31 + q.run(i) + hooks[i & 3].call(i) + fresh[0] + fresh[1];
            seen[i & 7] += sum & 15;
            if ((i & 4095) == 0) order.append((char) ('a' + (sum & 15)));
        }
        for (int s : seen) sum = sum * 7 + s;
        return sum + order.toString().hashCode();
    }

    public static void main(String[] args) {
        Hook[] hooks = {new One(), new Two(), new Three(), new Loads()};
        Quiet q = new Quiet();
        Object lock = new Object();
        int hash = 0;
        for (int i = 0; i < 12000; i++) hash = hash * 31 + nested(q, hooks[i & 3], i, lock).hashCode();
        System.out.println(hash);
        Loads.now = 1;
        System.out.println(nested(q, hooks[3], 12345, lock));
        System.out.println(nested(new Late(), hooks[0], 6789, lock));
        System.out.println(loop(new Silent(), hooks, 60000, 59999));
        System.out.println(loop(new Later(), hooks, 60000, -1));
    }
}
