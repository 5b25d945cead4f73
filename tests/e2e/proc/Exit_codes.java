// exit: 42
// System.exit from a nested call in another thread, with shutdown hooks and finally blocks that do not run.
public class Exit_codes {
    static void deep(int n) {
        try {
            if (n == 0) System.exit(42);
            deep(n - 1);
        } finally {
            System.out.println("finally must not run");
        }
    }

    public static void main(String[] args) throws Exception {
        Runtime.getRuntime().addShutdownHook(new Thread(() -> System.out.println("hook runs")));
        Thread removed = new Thread(() -> System.out.println("removed hook"));
        Runtime.getRuntime().addShutdownHook(removed);
        System.out.println(Runtime.getRuntime().removeShutdownHook(removed) + " " + Runtime.getRuntime().removeShutdownHook(removed));
        Thread t = new Thread(() -> deep(5));
        t.start();
        t.join();
        System.out.println("not reached");
    }
}
