// Loops entered by OSR: locals of every kind, nested loops, in synchronized methods, in blocks with handlers, after a
// switch, with values live across a call.
import java.util.ArrayList;
import java.util.List;

public class Loops_entered {
    static int calls;

    static int count(int x) {
        calls++;
        return x & 7;
    }

    synchronized long locked(int n) {
        long sum = 0;
        for (int i = 0; i < n; i++) {
            sum += i ^ (sum >>> 3);
            if ((i & 0xffff) == 7) synchronized (this) { sum++; }
        }
        return sum + (Thread.holdsLock(this) ? 1 : 0);
    }

    static String kinds(int n) {
        byte b = 1;
        short s = 2;
        char c = 'a';
        float f = 0.5f;
        double d = 0.25;
        long l = 1L << 40;
        boolean z = false;
        String text = "";
        int[] cells = new int[16];
        for (int i = 0; i < n; i++) {
            b += i;
            s ^= b;
            c = (char) ('a' + (c + i) % 26);
            f = f * 0.999f + i % 10;
            d += Math.sqrt(i) / (1 + f);
            l = l * 31 + c;
            z ^= (i & 3) == 0;
            cells[i & 15] += s;
            if (i % 50_000 == 0) text += c;
        }
        int sum = 0;
        for (int x : cells) sum = sum * 17 + x;
        return b + " " + s + " " + c + " " + f + " " + (float) d + " " + l + " " + z + " " + text + " " + sum;
    }

    static int nested(int n) {
        int result = 0;
        outer:
        for (int i = 0; i < n; i++) {
            for (int j = 0; ; j++) {
                try {
                    if (j > 20) continue outer;
                    if ((i * j) % 97 == 96) throw new IllegalStateException("at " + i);
                    if (result < -1_000_000_000) break outer;
                    result += count(i + j) * (j % 3 - 1);
                } catch (IllegalStateException e) {
                    result ^= e.getMessage().length();
                    continue outer;
                } finally {
                    result++;
                }
            }
        }
        return result;
    }

    static long switches(int n) {
        long x = 7;
        for (int i = 0; i < n; i++) {
            switch ((int) (x & 15)) {
                case 0: case 5: x += 3; break;
                case 1: x = x * 5 + 1; break;
                case 7: x ^= i;
                case 9: x -= 2; break;
                default: x = (x >> 1) + i;
            }
        }
        return x;
    }

    public static void main(String[] args) {
        System.out.println(kinds(300_000));
        System.out.println(new Loops_entered().locked(300_000));
        System.out.println(nested(20_000) + " " + calls);
        System.out.println(switches(400_000));
        long sum = 0;
        List<Integer> list = new ArrayList<>();
        for (int i = 0; i < 200_000; i++) {
            if (list.size() > 1000) list.clear();
            list.add(i);
            sum += list.get(list.size() / 2);
        }
        System.out.println(sum);
        int i = 0;
        while (true) {
            if (++i == 500_000) break;
            if (i % 100_000 == 0) System.out.println("i " + i);
        }
    }
}
