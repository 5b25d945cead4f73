// SIGTERM runs the hooks of a child VM, which exits with 143; the child is this program with an argument.
import java.io.*;
import java.util.concurrent.TimeUnit;

public class Kill_signal {
    public static void main(String[] args) throws Exception {
        if (args.length > 0) {
            Runtime.getRuntime().addShutdownHook(new Thread(() -> { System.out.println("hook in child"); System.out.flush(); }));
            System.out.println("ready");
            System.out.flush();
            Thread.sleep(60_000);
            return;
        }
        String launcher = ProcessHandle.current().info().command().get();
        Process p = new ProcessBuilder(launcher, "-cp", System.getProperty("java.class.path"), "Kill_signal", "child").redirectErrorStream(true).start();
        BufferedReader r = new BufferedReader(new InputStreamReader(p.getInputStream()));
        System.out.println(r.readLine());
        p.toHandle().destroy();
        System.out.println(r.readLine());
        System.out.println(p.waitFor(30, TimeUnit.SECONDS) + " " + p.exitValue());
    }
}
