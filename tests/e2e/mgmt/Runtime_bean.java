// vm: -Da=b -Xmx64m -Xss1m
import java.lang.management.ManagementFactory;
import java.lang.management.RuntimeMXBean;
import java.util.List;

public class Runtime_bean {
    public static void main(String[] args) throws Exception {
        RuntimeMXBean r = ManagementFactory.getRuntimeMXBean();
        long pid = ProcessHandle.current().pid();
        System.out.println("name " + r.getName().startsWith(pid + "@"));
        System.out.println("pid " + (r.getPid() == pid));
        // The test runner's options may precede these.
        List<String> arguments = r.getInputArguments();
        System.out.println("arguments " + arguments.subList(arguments.size() - 3, arguments.size()));
        System.out.println("spec " + r.getSpecName() + " " + r.getSpecVersion() + " " + r.getSpecVendor());
        System.out.println("management " + r.getManagementSpecVersion());
        System.out.println("vm name " + r.getVmName().equals(System.getProperty("java.vm.name")));
        System.out.println("vm version " + r.getVmVersion().equals(System.getProperty("java.vm.version")));
        System.out.println("class path " + r.getClassPath().equals(System.getProperty("java.class.path")));
        System.out.println("boot class path " + r.isBootClassPathSupported());
        System.out.println("property " + r.getSystemProperties().get("a"));
        long up = r.getUptime(), now = System.currentTimeMillis();
        System.out.println("uptime " + (up > 0 && up < 600_000));
        System.out.println("start " + (Math.abs(now - up - r.getStartTime()) < 60_000));
        Thread.sleep(30);
        System.out.println("later " + (r.getUptime() >= up + 30));
        System.out.println("object name " + r.getObjectName());
    }
}
