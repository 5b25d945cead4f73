// The frequent one of two receivers has a method too large to be inlined, the other a small one.
public class Uneven {
    interface Step { int step(int n); }
    static class Large implements Step {
        public int step(int n) {
            int a = n * 3 + 1, b = a ^ n, c = b - a;
            a = n * 5 + 2; b = a ^ n + 1; c += b - a;
            a = n * 7 + 3; b = a ^ n + 2; c += b - a;
            a = n * 9 + 4; b = a ^ n + 3; c += b - a;
            a = n * 11 + 5; b = a ^ n + 4; c += b - a;
            a = n * 13 + 6; b = a ^ n + 5; c += b - a;
            a = n * 15 + 7; b = a ^ n + 6; c += b - a;
            a = n * 17 + 8; b = a ^ n + 7; c += b - a;
            a = n * 19 + 9; b = a ^ n + 8; c += b - a;
            a = n * 21 + 10; b = a ^ n + 9; c += b - a;
            a = n * 23 + 11; b = a ^ n + 10; c += b - a;
            a = n * 25 + 12; b = a ^ n + 11; c += b - a;
            return c;
        }
    }
    static class Small implements Step {
        public int step(int n) { return n + 1; }
    }

    static int walk(Step s, int n) { return s.step(n); }

    public static void main(String[] args) {
        Step large = new Large(), small = new Small();
        int n = 0;
        for (int i = 0; i < 20000; i++) n += walk(i % 3 == 0 ? small : large, i);
        System.out.println(n);
    }
}
