// vm: -Xmx256m -XX:+UseSerialGC
import java.lang.management.CompilationMXBean;
import java.lang.management.ManagementFactory;
import java.lang.management.MemoryNotificationInfo;
import java.lang.management.MemoryPoolMXBean;
import java.lang.management.MemoryType;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import javax.management.NotificationEmitter;
import javax.management.openmbean.CompositeData;

// Thresholds of memory pools, their counts and their notifications; and the compilation bean. The pool is the tenured
// one. Each collection above the threshold counts, also those that stress causes.
public class Pool_thresholds {
    static final LinkedBlockingQueue<String> told = new LinkedBlockingQueue<>();
    static byte[][] kept;

    interface Condition { boolean holds(); }

    static boolean soon(Condition c) throws Exception {
        for (int i = 0; i < 1000 && !c.holds(); i++) Thread.sleep(5);
        return c.holds();
    }

    static MemoryPoolMXBean pool(MemoryType type) {
        MemoryPoolMXBean found = null;
        for (MemoryPoolMXBean p : ManagementFactory.getMemoryPoolMXBeans())
            if (p.getType() == type && p.isUsageThresholdSupported()
                && (type == MemoryType.HEAP || p.getName().equals("Metaspace"))) found = p;
        return found;
    }

    static void keep(int megabytes) {
        kept = new byte[megabytes][];
        for (int i = 0; i < megabytes; i++) kept[i] = new byte[1 << 20];
    }

    static void usage(MemoryPoolMXBean p) throws Exception {
        System.out.println("unset " + p.getUsageThreshold() + " " + p.isUsageThresholdExceeded() + " " + p.getUsageThresholdCount());
        long base = p.getUsage().getUsed();
        p.setUsageThreshold(base + (20 << 20));
        System.out.println("set " + (p.getUsageThreshold() == base + (20 << 20)) + " " + p.isUsageThresholdExceeded()
                           + " " + p.getUsageThresholdCount());
        keep(40);
        System.gc();
        System.out.println("above " + soon(() -> p.getUsageThresholdCount() == 1) + " " + p.isUsageThresholdExceeded());
        System.out.println(told.poll(20, TimeUnit.SECONDS));
        System.gc();
        System.out.println("still " + soon(() -> p.getUsageThresholdCount() == 1) + " " + p.isUsageThresholdExceeded());
        kept = null;
        System.gc();
        System.out.println("below " + soon(() -> !p.isUsageThresholdExceeded()) + " " + p.getUsageThresholdCount());
        keep(40);
        System.gc();
        System.out.println("again " + soon(() -> p.getUsageThresholdCount() == 2));
        System.out.println(told.poll(20, TimeUnit.SECONDS));
        p.setUsageThreshold(0);
        System.out.println("off " + p.getUsageThreshold());
        try {
            p.setUsageThreshold(-1);
        } catch (IllegalArgumentException e) {
            System.out.println(e.getMessage());
        }
    }

    static void collections(MemoryPoolMXBean p) throws Exception {
        System.out.println("supported " + p.isCollectionUsageThresholdSupported());
        System.out.println("unset " + p.getCollectionUsageThreshold() + " " + p.getCollectionUsageThresholdCount());
        p.setCollectionUsageThreshold(20 << 20);
        System.gc();
        System.out.println("one " + soon(() -> p.getCollectionUsageThresholdCount() >= 1) + " " + p.isCollectionUsageThresholdExceeded());
        System.out.println(told.poll(20, TimeUnit.SECONDS));
        kept = null;
        System.gc();
        System.out.println("none " + soon(() -> !p.isCollectionUsageThresholdExceeded()) + " " + (p.getCollectionUsageThresholdCount() >= 1));
    }

    public static void main(String[] args) throws Exception {
        ((NotificationEmitter) ManagementFactory.getMemoryMXBean()).addNotificationListener((n, back) -> {
            MemoryNotificationInfo info = MemoryNotificationInfo.from((CompositeData) n.getUserData());
            told.add(n.getType() + " " + info.getCount() + " " + (info.getUsage().getUsed() >= 20 << 20));
        }, null, null);
        MemoryPoolMXBean heap = pool(MemoryType.HEAP), metadata = pool(MemoryType.NON_HEAP);
        usage(heap);
        collections(heap);
        System.out.println("metadata " + metadata.isCollectionUsageThresholdSupported() + " " + metadata.getUsageThreshold());
        metadata.setUsageThreshold(1);
        System.out.println("metadata " + soon(() -> metadata.getUsageThresholdCount() == 1) + " " + metadata.isUsageThresholdExceeded());
        CompilationMXBean compiler = ManagementFactory.getCompilationMXBean();
        boolean interpreted = System.getProperty("java.vm.info").contains("interpreted mode");
        System.out.println("compiler " + (interpreted ? compiler == null : compiler.getName().endsWith("64-Bit Tiered Compilers")
            && compiler.isCompilationTimeMonitoringSupported() && compiler.getTotalCompilationTime() >= 0));
    }
}
