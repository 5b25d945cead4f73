/** Two loops of the same code: one of five iterations, one of a thousand. */
public final class Trips {
    private static int few(int[] a, int n) {
        int sum = 0;
        for (int i = 0; i < n; i++) sum += a[i] ^ i;
        return sum;
    }

    private static int many(int[] a, int n) {
        int sum = 0;
        for (int i = 0; i < n; i++) sum += a[i] ^ i;
        return sum;
    }

    public static void main(String[] args) {
        int[] a = new int[1000];
        int sum = 0;
        for (int i = 0; i < 4000; i++) sum = sum * 31 + few(a, 3 + i % 5) + many(a, i % 8 == 0 ? 1000 : 900);
        System.out.println(sum);
    }
}
