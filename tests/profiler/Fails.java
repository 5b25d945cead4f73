/** Fails in runs with an odd argument, because a branch takes the other direction. */
public class Fails {
    static int state;

    static void step(boolean wrong) {
        if (wrong) state++;
    }

    public static void main(String[] args) {
        int n = Integer.parseInt(args[0]);
        for (int i = 0; i < 3000; i++) step(n % 2 == 1);
        System.exit(state > 0 ? 1 : 0);
    }
}
