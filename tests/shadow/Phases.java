// Two phases that call no method in common. Arguments: their durations in milliseconds.
public class Phases {
    static long sum;

    static int even(int n) { return n == 0 ? 1 : odd(n - 1); }
    static int odd(int n) { return n == 0 ? 0 : even(n - 1); }
    static void first() { for (int i = 0; i < 1000; i++) sum += even(i % 30); }

    static long mix(long n) { return n * 31 + 7; }
    static long twice(long n) { return mix(mix(n)); }
    static void second() { for (int i = 0; i < 1000; i++) sum = twice(sum); }

    public static void main(String[] args) {
        for (long end = System.nanoTime() + Long.parseLong(args[0]) * 1000000; System.nanoTime() < end;) first();
        for (long end = System.nanoTime() + Long.parseLong(args[1]) * 1000000; System.nanoTime() < end;) second();
        System.out.println("over");
    }
}
