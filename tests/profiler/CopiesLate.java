import cabernet.Profile;

/**
 * Profiles the second half of a main that is entered once and by then runs in OSR code. The argument is passed to
 * Profile.start.
 */
public class CopiesLate {
    static final int HALF = 60000;

    static int turns;
    int even;

    static int twist(int n) { return n * 31 + 7; }

    /** Is on the stack in compiled code when the profile starts, and continues after that. */
    static int starts(int i, String options) {
        int x = i;
        if (i == HALF) {
            for (int k = 0; k < 10; k++) x = twist(x);
            Profile.start(options);
            for (int k = 0; k < 10; k++) x = twist(x);
        }
        return x;
    }

    public static void main(String[] args) {
        CopiesLate c = new CopiesLate();
        int x = 0;
        for (int i = 0; i < 2 * HALF; i++) {
            x = twist(x) + starts(i, args[0]);
            for (int k = i & 3; k > 0; k--) x ^= twist(k);
            if ((x & 1) == 0) c.even += x;
            turns++;
        }
        System.out.println(x + " " + c.even + " " + turns);
    }
}
