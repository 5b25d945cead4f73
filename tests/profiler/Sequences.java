import cabernet.Profile;

/** Applies each command to its own profile, prints the result, then calls step as often as the first argument says. */
public class Sequences {
    static int step(int n) { return n * 3; }

    static void command(String text) {
        if (text.equals("go on")) Profile.start();
        else if (text.equals("stop")) Profile.stop();
        else if (text.startsWith("start ")) Profile.start(text.substring(6));
        else if (text.startsWith("set ")) Profile.set(text.substring(4));
        else if (text.startsWith("dump ")) Profile.dump(text.substring(5));
        else throw new IllegalArgumentException(text);
    }

    public static void main(String[] args) {
        int steps = Integer.parseInt(args[0]), sum = 0;
        for (int i = 1; i < args.length; i++) {
            try {
                command(args[i]);
                System.out.println("done");
            } catch (IllegalStateException e) {
                System.out.println("refused: " + e.getMessage());
            }
            for (int k = 0; k < steps; k++) sum += step(k);
        }
        System.out.println(Profile.status());
        if (sum < 0) System.out.println(sum);
    }
}
