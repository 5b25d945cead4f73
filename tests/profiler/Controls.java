import cabernet.Profile;

/** Profiles a part of itself. */
public class Controls {
    static int counted(int n) { return n * 3; }
    static int uncounted(int n) { return n * 5; }

    static void refused(Runnable r) {
        try {
            r.run();
            System.out.println("not refused");
        } catch (IllegalStateException e) {
            System.out.println("refused: " + e.getMessage());
        }
    }

    public static void main(String[] args) {
        int r = 0;
        System.out.println(Profile.status());
        refused(Profile::stop);
        refused(() -> Profile.start("nonsense"));
        for (int i = 0; i < 100; i++) r += uncounted(i);
        Profile.start(args[0]);
        refused(() -> Profile.start(args[0]));
        refused(() -> Profile.set("interval=0"));
        for (int i = 0; i < 30000; i++) r += counted(i);
        Profile.stop();
        for (int i = 0; i < 100; i++) r += uncounted(i);
        Profile.dump(args[1]);
        Profile.start();
        for (int i = 0; i < 30000; i++) r += counted(i);
        System.out.println(r);
    }
}
