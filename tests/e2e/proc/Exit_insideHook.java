// exit: 3
// Daemon threads die with the VM; a second thread calling exit blocks; negative codes are truncated to a byte.
public class Exit_insideHook {
    public static void main(String[] args) throws Exception {
        Thread d = new Thread(() -> {
            try {
                while (true) Thread.sleep(1000);
            } catch (InterruptedException e) {
                System.out.println("never interrupted");
            }
        });
        d.setDaemon(true);
        d.start();
        Runtime.getRuntime().addShutdownHook(new Thread(() -> {
            Thread late = new Thread(() -> { System.exit(8); System.out.println("never returns"); });
            late.setDaemon(true);
            late.start();
            try {
                late.join(50);
            } catch (InterruptedException e) {
                return;
            }
            System.out.println("hook done, other exit " + (late.isAlive() ? "blocked" : "returned"));
        }));
        System.exit(256 + 3);
    }
}
