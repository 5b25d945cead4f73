// The class that embed.c runs.
public class Embedded {
    static int calls;

    public static void main(String[] args) {
        Thread t = Thread.currentThread();
        System.out.println(args[0] + " call " + ++calls + " daemon=" + t.isDaemon() + " group="
            + t.getThreadGroup().getName() + " property=" + System.getProperty("embedded"));
        if (calls == 1) {
            Runtime.getRuntime().addShutdownHook(new Thread(() -> System.out.println("hook")));
            new Thread(() -> {
                try {
                    Thread.sleep(300);
                } catch (InterruptedException e) {
                    System.out.println(e);
                }
                System.out.println("last thread ends");
            }).start();
        }
        if (args[0].equals("throw")) throw new IllegalStateException("uncaught");
    }
}
