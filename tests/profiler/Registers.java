import cabernet.Profile;

/** Changes registers of its profile's productions; args give the values, and the number of calls of work with each. */
public class Registers {
    // It calls a method, so that it makes a check.
    static int work(int n) { return next(n * 3); }

    static int next(int n) { return n + 1; }

    static void refused(String name, long value) {
        try {
            Profile.set(name, value);
            System.out.println("not refused");
        } catch (IllegalStateException e) {
            System.out.println("refused: " + e.getMessage());
        }
    }

    public static void main(String[] args) {
        int r = 0;
        refused("nothing", 1);
        refused(args[0], -1);
        for (int a = 1; a < args.length; a++) {
            Profile.set(args[0], Long.parseLong(args[a]));
            for (int i = 0; i < 1000; i++) r += work(i);
        }
        System.out.println(r);
    }
}
