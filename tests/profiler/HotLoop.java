// One loop of many iterations, and a small method that is called rarely: the loop is what is hot.
public class HotLoop {
    static int tiny(int x) { return x * 31 + 7; }

    static long loop(long n) {
        long sum = 0;
        for (long i = 0; i < n; i++) sum += i ^ sum >> 3;
        return sum;
    }

    public static void main(String[] args) {
        int x = 1;
        for (int i = 0; i < 100_000; i++) x = tiny(x);
        if (x + loop(Long.parseLong(args[0])) == 42) System.exit(1);
    }
}
