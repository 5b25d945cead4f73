/** One phase whose loop starts interpreted and continues compiled, with fewer checks for the same calls. */
public class Tiers {
    static long sum;

    static void a() { sum++; }

    static void b() { sum += 2; }

    static double roots() {
        double d = 0;
        for (int i = 0; i < 2000; i++) d += Math.sqrt(i);
        return d;
    }

    public static void main(String[] args) {
        double d = 0;
        for (int i = 0; i < 3000000; i++) {
            a();
            if (i % 2 == 0) b();
            if (i % 1000 == 0) d += roots();
        }
        System.out.println(sum + " " + d);
    }
}
