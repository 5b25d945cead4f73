// Thread.stop while a thread allocates arrays in a try block: the exception arrives within it, at the allocation. Needs
// two processors: with one carrier, the stopper runs only while the other thread is at a yieldpoint.
public class Stop_allocating {
    static volatile Object last;
    static volatile int made;

    @SuppressWarnings("removal")
    static void t(String what, Runnable loop) throws Exception {
        int inside = 0;
        for (int i = 0; i < 12; i++) {
            boolean[] caught = new boolean[1];
            made = 0;
            Thread t = new Thread(() -> {
                try {
                    loop.run();
                    caught[0] = true;
                } catch (ThreadDeath outside) { }
            });
            t.start();
            while (made < 3) Thread.onSpinWait();
            t.stop();
            t.join();
            if (caught[0]) inside++;
        }
        System.out.println(what + (inside >= 5 ? " inside" : " inside " + inside + " of 12"));
    }

    public static void main(String[] args) throws Exception {
        int n = 1 << 22;
        t("bytes", () -> {
            for (;;) {
                try { last = new byte[n]; } catch (ThreadDeath d) { return; }
                made++;
            }
        });
        t("references", () -> {
            for (;;) {
                try { last = new Object[n / 4]; } catch (ThreadDeath d) { return; }
                made++;
            }
        });
        t("dimensions", () -> {
            for (;;) {
                try { last = new int[2][n / 8]; } catch (ThreadDeath d) { return; }
                made++;
            }
        });
    }
}
