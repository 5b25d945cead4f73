import java.util.Arrays;

/** Collecting PROGRAM ARGUMENTS...: runs a program while another thread collects once per millisecond. */
public class Collecting {
    static volatile long collections;
    static volatile boolean over;

    public static void main(String[] args) throws Throwable {
        Thread collector = new Thread(() -> {
            while (!over) {
                System.gc();
                collections++;
                try {
                    Thread.sleep(1);
                } catch (InterruptedException e) {
                    throw new AssertionError(e);
                }
            }
        }, "collector");
        collector.setDaemon(true);
        collector.start();
        try {
            Class.forName(args[0]).getMethod("main", String[].class)
                    .invoke(null, (Object) Arrays.copyOfRange(args, 1, args.length));
        } catch (java.lang.reflect.InvocationTargetException e) {
            throw e.getCause();
        }
        over = true;
        collector.join();
        if (collections == 0) throw new AssertionError("no collection");
        System.err.println(collections + " collections");
    }
}
