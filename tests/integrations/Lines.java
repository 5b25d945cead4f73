import java.util.function.IntUnaryOperator;

/** How often each line is executed: the number in its comment, of its instruction that is executed most often. */
public class Lines {
    static int[] sizes = {1, 2, 3}; // 1

    static int never(int n) {
        if (n > 1) // 0
            return n; // 0
        return -n; // 0
    }

    static int chosen(int n) {
        switch (n) { // 4
            case 1:
            case 2:
                return 7; // 2
            case 9:
                return never(n); // 0
            default:
                break;
        }
        return 8; // 2
    }

    static int checked(int[] of, int at) {
        int sum = of.length; // 5
        try {
            sum += of[at]; // 5
            sum += sizes[at]; // 4
        } catch (ArrayIndexOutOfBoundsException e) { // 1
            sum = -1; // 1
        } finally {
            sum++; // 4
        }
        return sum; // 5
    }

    static int endless(int n) {
        while (true) {
            n--; // 3
            checked(sizes, n); // 3
            never(sizes[n] < 0 ? n : throwing(n)); // 3
        }
    }

    static int throwing(int n) {
        if (n > 0) // 3
            throw new IllegalStateException( // 3
                "thrown at " + n);
        return n; // 0
    }

    public static void main(String[] args) {
        IntUnaryOperator twice = n -> // 1
            2 * n; // 6
        int sum = 0; // 1
        for (int i = 0; i < 3; i++) // 4
            sum += twice.applyAsInt(i); // 3
        for (int i = 0; i < 4; i++) sum += chosen(i); // 5
        for (int at : new int[] {2, 7}) // 3
            sum += checked(sizes, at); // 2
        for (int i = 0; i < 3; i++) { // 4
            try {
                endless(2 + i % 1); // 3
                sum++; // 0
            } catch (IllegalStateException e) { // 3
                sum += twice.applyAsInt(3); // 3
            }
        }
        System.out.println(sum); // 1
        System.exit(0); // 1
        System.out.println(sum); // 0
    }
}
