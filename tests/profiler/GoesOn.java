import cabernet.Profile;

/** Stops its profile and continues. */
public class GoesOn {
    static int work(int n) {
        int r = 0;
        for (int i = 0; i < n; i++) r += i ^ 3;
        return r;
    }

    public static void main(String[] args) {
        int r = work(100);
        try {
            Profile.stop();
        } catch (IllegalStateException e) {
            r++;  // no profile
        }
        for (int i = 0; i < 20000; i++) r += work(10);
        System.out.println(r > 0);
    }
}
