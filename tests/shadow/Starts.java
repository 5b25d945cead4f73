// Works, then starts a process and works a little more, repeatedly. Arguments: duration in ms, ms of work before each
// process.
public class Starts {
    static volatile long sink;

    static int before(int i) { return i * 31 + 7; }
    static int behind(int i) { return i * 17 + 3; }

    public static void main(String[] args) throws Exception {
        long end = System.nanoTime() + Long.parseLong(args[0]) * 1_000_000;
        while (System.nanoTime() < end) {
            for (long next = System.nanoTime() + Long.parseLong(args[1]) * 1_000_000; System.nanoTime() < next;) for (int i = 0; i < 100; i++) sink += before(i);
            if (new ProcessBuilder("true").start().waitFor() != 0) throw new AssertionError();
            for (int i = 0; i < 200; i++) sink += behind(i);
        }
        System.out.println("over");
    }
}
