import java.lang.management.ClassLoadingMXBean;
import java.lang.management.ManagementFactory;

public class Class_loading {
    static class Late { }

    public static void main(String[] args) {
        ClassLoadingMXBean c = ManagementFactory.getClassLoadingMXBean();
        System.out.println(c.isVerbose() + " " + (c.getLoadedClassCount() > 300));
        long before = c.getTotalLoadedClassCount();
        new Late();
        long after = c.getTotalLoadedClassCount();
        System.out.println(after > before);
        System.out.println(c.getTotalLoadedClassCount() == c.getLoadedClassCount() + c.getUnloadedClassCount());
    }
}
