/** Calls String.hashCode with a string for which its intrinsic declines, from code that is compiled only for a while. */
public final class Declines {
    private static int hash(String s) {
        return s.hashCode();
    }

    public static void main(String[] args) {
        String[] texts = {"", "a", "", "bc"};
        int sum = 0;
        for (int i = 0; i < 300000; i++) sum += hash(texts[i & 3]) ^ i;
        System.out.println(sum);
    }
}
