// A switch of which half of the cases come only after the method was optimised, and one throws.
public class Cases {
    static int f(int k, int x) {
        switch (k) {
            case 0: return x + 1;
            case 1: return x ^ 3;
            case 2: return x * 5;
            case 3: return x - 9;
            case 4: throw new RuntimeException("four");
            case 5: return x / 3;
            default: return -x;
        }
    }

    public static void main(String[] a) {
        int s = 0;
        for (int i = 0; i < 30000; i++) s = f(i % 3, s);
        System.out.println(s);
        for (int i = 0; i < 30000; i++) s = f(i % 7 == 4 ? 5 : i % 7, s);
        System.out.println(s);
        int t = 0;
        for (int i = 0; i < 1000; i++) {
            try {
                s = f(4, s);
            } catch (RuntimeException e) {
                t++;
            }
        }
        System.out.println(s + " " + t);
    }
}
