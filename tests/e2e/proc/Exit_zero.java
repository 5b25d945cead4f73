// args: one two
// Normal end of main: hooks run, exit code 0; hook failures are reported but harmless.
public class Exit_zero {
    public static void main(String[] args) {
        Runtime.getRuntime().addShutdownHook(new Thread(() -> {
            try {
                Runtime.getRuntime().addShutdownHook(new Thread());
            } catch (IllegalStateException e) {
                System.out.println(e.getMessage());
            }
            throw new RuntimeException("from hook");
        }, "failing-hook"));
        System.out.println(args.length + args[0] + args[1]);
        try {
            Runtime.getRuntime().addShutdownHook(null);
        } catch (NullPointerException e) {
            System.out.println("NPE");
        }
        Thread h = new Thread();
        Runtime.getRuntime().addShutdownHook(h);
        try {
            Runtime.getRuntime().addShutdownHook(h);
        } catch (IllegalArgumentException e) {
            System.out.println(e.getMessage());
        }
    }
}
