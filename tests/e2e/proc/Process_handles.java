// ProcessHandle: current, children, exit notification, info, pid.
import java.util.concurrent.*;

public class Process_handles {
    public static void main(String[] args) throws Exception {
        ProcessHandle me = ProcessHandle.current();
        System.out.println(me.isAlive() + " " + (me.pid() > 0) + " " + me.equals(ProcessHandle.of(me.pid()).get()) + " " + me.parent().isPresent() + " " + (me.compareTo(me) == 0));
        Process p = new ProcessBuilder("/bin/cat").start();
        ProcessHandle h = p.toHandle();
        System.out.println((h.pid() == p.pid()) + " " + h.isAlive() + " " + h.parent().get().equals(me) + " " + me.children().anyMatch(h::equals) + " " + h.supportsNormalTermination());
        CompletableFuture<Process> exit = p.onExit();
        System.out.println(exit.isDone());
        p.getOutputStream().close();
        System.out.println(exit.get(20, TimeUnit.SECONDS).exitValue() + " " + h.isAlive());
        Process q = new ProcessBuilder("/bin/sleep", "50").start();
        System.out.println(q.toHandle().destroy() + " " + q.onExit().thenApply(Process::exitValue).get(20, TimeUnit.SECONDS));
        try {
            me.destroy();
        } catch (IllegalStateException e) {
            System.out.println(e.getMessage());
        }
        System.out.println(ProcessHandle.of(Long.MAX_VALUE >> 20).isPresent());
    }
}
