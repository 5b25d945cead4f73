import com.sun.management.UnixOperatingSystemMXBean;
import java.lang.management.ManagementFactory;

public class Operating_system {
    public static void main(String[] args) {
        UnixOperatingSystemMXBean os = (UnixOperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean();
        System.out.println(os.getName().equals(System.getProperty("os.name")) + " " + os.getArch()
                + " " + os.getVersion().equals(System.getProperty("os.version")));
        System.out.println(os.getAvailableProcessors() == Runtime.getRuntime().availableProcessors());
        System.out.println("memory " + (os.getTotalMemorySize() >= os.getFreeMemorySize() && os.getFreeMemorySize() > 0));
        System.out.println("swap " + (os.getTotalSwapSpaceSize() >= os.getFreeSwapSpaceSize()));
        System.out.println("virtual " + (os.getCommittedVirtualMemorySize() > 1 << 20));
        long cpu = os.getProcessCpuTime();
        long end = System.nanoTime() + 60_000_000;
        while (System.nanoTime() < end) { }
        System.out.println("cpu " + (cpu > 0 && os.getProcessCpuTime() >= cpu));
        System.out.println("load " + (os.getCpuLoad() <= 1 && os.getProcessCpuLoad() <= 1 && os.getSystemLoadAverage() >= 0));
        System.out.println("files " + (os.getOpenFileDescriptorCount() > 0
                && os.getOpenFileDescriptorCount() < os.getMaxFileDescriptorCount()));
    }
}
