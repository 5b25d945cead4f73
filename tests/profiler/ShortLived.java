// Many short-lived objects beside a table whose elements are loaded in the same order each time.
public class ShortLived {
    int a, b, c;
    ShortLived(int n) { a = n; b = n + 1; c = n + 2; }
    static int sum;
    static int[] table = {1, 2, 3, 4, 5, 6, 7};
    static void once(int i) {
        ShortLived s = new ShortLived(i);
        sum += s.a + s.b + s.c;
        for (int k = 0; k < 7; k++) sum += table[k];
    }
    public static void main(String[] args) {
        int n = Integer.parseInt(args[0]);
        for (int i = 0; i < n; i++) once(i);
        System.out.println(sum);
    }
}
