import java.lang.management.ManagementFactory;
import javax.management.ObjectName;

/** Runs the main of a class, dumps the heap into a file after a time, and ends: DumpAt SECONDS FILE CLASS ARGUMENTS. */
public final class DumpAt {
    public static void main(String[] args) throws Exception {
        String[] rest = java.util.Arrays.copyOfRange(args, 3, args.length);
        Thread program = new Thread(null, () -> {
            try {
                Class.forName(args[2]).getMethod("main", String[].class).invoke(null, (Object) rest);
            } catch (ReflectiveOperationException e) {
                e.printStackTrace();
            }
        }, "program", 64 << 20);
        program.setDaemon(true);
        program.start();
        program.join((long) (1000 * Double.parseDouble(args[0])));
        ManagementFactory.getPlatformMBeanServer().invoke(
            new ObjectName("com.sun.management:type=HotSpotDiagnostic"), "dumpHeap",
            new Object[] {args[1], true}, new String[] {"java.lang.String", "boolean"});
        Runtime.getRuntime().halt(0);
    }
}
