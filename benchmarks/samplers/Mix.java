/** Short methods, some of them called very often, to compare samplers with exact counts (benchmarks/results/SAMPLERS.md). */
public class Mix {
    static int[] data = new int[4096];
    static int hash(int x) { x ^= x >>> 16; x *= 0x45d9f3b; return x ^ x >>> 13; }
    static int parse(String s) { int n = 0; for (int i = 0; i < s.length(); i++) n = n * 10 + digit(s.charAt(i)); return n; }
    static int digit(char c) { return c - '0'; }
    static int sum() { int s = 0; for (int v : data) s += v; return s; }
    static void store(int i, int v) { data[i & 4095] = hash(v); }
    static String text(int i) { return Integer.toString(i); }
    public static void main(String[] args) {
        int rounds = Integer.parseInt(args[0]);
        long result = 0;
        for (int r = 0; r < rounds; r++) {
            for (int i = 0; i < 1000; i++) store(i, parse(text(r * 1000 + i)));
            result += sum();
        }
        System.out.println(result);
    }
}
