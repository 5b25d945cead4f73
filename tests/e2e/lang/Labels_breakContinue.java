// Labeled break and continue, do/while conditions, nested loops, blocks with labels.
public class Labels_breakContinue {
    public static void main(String[] args) {
        StringBuilder s = new StringBuilder();
        rows:
        for (int i = 0; i < 8; i++) {
            for (int j = 0; j < 8; j++) {
                if (j > i) continue rows;
                if (i * j == 20) break rows;
                s.append(i * j).append(',');
            }
            s.append('|');
        }
        System.out.println(s);
        block: {
            if (s.length() > 3) break block;
            System.out.println("not reached");
        }
        int n = 0, m = 0;
        do {
            if (++n % 3 == 0) continue;
            m += n;
        } while (n < 10 && m < 100);
        System.out.println(n + " " + m);
        outer:
        while (true) {
            do {
                n--;
                if (n == 4) break outer;
                if (n % 2 == 0) continue outer;
            } while (n > 0);
        }
        System.out.println(n);
        int i = 0, j = 10;
        for (; i < j; i++, j -= 2) if (i == 2) { i++; continue; }
        System.out.println(i + " " + j);
        long total = 0;
        for (long a = 1, b = 1; a < 1_000_000_000_000L; ) {
            long c = a + b;
            a = b;
            b = c;
            total ^= c;
        }
        System.out.println(total);
        for (String w : new String[]{"x", "stop", "y"}) {
            if (w.equals("stop")) break;
            System.out.println(w);
        }
        int k = 5;
        while (k --> 0) System.out.print(k);
        System.out.println();
        boolean b = false;
        System.out.println((b = true) | (k++ > 5) & (k++ > 0) ^ b);
        System.out.println(k);
        if (b || k++ > 0) System.out.println(k);
        if (!b && k++ > 0) System.out.println("no"); else System.out.println(k);
    }
}
