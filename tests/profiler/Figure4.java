// Activations that all make checks: each method has a loop or a call, and the class library does nothing.
public class Figure4 {
    static int field;

    static int inner(int n) {
        int sum = 0;
        for (int i = 0; i < n % 5; i++) {
            field += i;
            sum ^= i % 3 == 0 ? n : field;
        }
        return sum;
    }

    static int outer(int n) {
        return n <= 0 ? inner(7) : inner(n) + outer(n - 3);
    }

    static int drive(int rounds) {
        int sum = 0;
        for (int i = 0; i < rounds; i++) sum += (i & 1) == 0 ? outer(i % 17) : inner(i);
        return sum;
    }

    public static void main(String[] args) {
        if (drive(20_000) == 42) System.exit(1);
    }
}
