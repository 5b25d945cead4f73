/** Calls of methods that the VM does itself, out of compiled code: their entries are sampled like all others. */
public class CopiesLeaves {
    static int count(String s, char wanted) {
        int n = 0;
        for (int i = 0; i < s.length(); i++)
            if (s.charAt(i) == wanted) n = Math.addExact(n, 1);
        return n;
    }

    static int odd(int i) {
        return i & 1;
    }

    public static void main(String[] args) {
        String text = "abracadabra".repeat(20);
        int sum = 0;
        for (int i = 0; i < 2000; i++) sum += count(text, 'a') + odd(i) + System.identityHashCode(args) % 1;
        System.out.println(sum);
    }
}
