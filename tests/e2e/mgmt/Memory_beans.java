// vm: -Xmx128m
import java.lang.management.*;
import java.util.List;

public class Memory_beans {
    static byte[][] keep;

    static boolean sane(MemoryUsage u) {
        return u.getUsed() >= 0 && u.getUsed() <= u.getCommitted()
                && (u.getMax() == -1 || u.getCommitted() <= u.getMax()) && u.getInit() >= -1;
    }

    static long collections() {
        long n = 0;
        for (GarbageCollectorMXBean g : ManagementFactory.getGarbageCollectorMXBeans()) n += g.getCollectionCount();
        return n;
    }

    public static void main(String[] args) {
        MemoryMXBean memory = ManagementFactory.getMemoryMXBean();
        System.out.println("heap " + sane(memory.getHeapMemoryUsage()) + " other " + sane(memory.getNonHeapMemoryUsage()));
        System.out.println("max " + (memory.getHeapMemoryUsage().getMax() == Runtime.getRuntime().maxMemory()));
        System.out.println("metadata " + (memory.getNonHeapMemoryUsage().getUsed() > 100_000));
        memory.gc();
        long before = memory.getHeapMemoryUsage().getUsed();
        keep = new byte[40][];
        for (int i = 0; i < 40; i++) keep[i] = new byte[1 << 20];
        long grown = memory.getHeapMemoryUsage().getUsed() - before;
        System.out.println("grown " + (grown >= 38 << 20 && grown < 90 << 20));
        long n = collections();
        keep = null;
        System.gc();
        System.out.println("collected " + (collections() > n));
        System.out.println("shrunk " + (memory.getHeapMemoryUsage().getUsed() < before + (10 << 20)));
        System.out.println("time " + ManagementFactory.getGarbageCollectorMXBeans().stream()
                .allMatch(g -> g.getCollectionTime() >= 0 && g.isValid()));
        System.out.println("pending " + (memory.getObjectPendingFinalizationCount() >= 0));
        boolean heapSeen = false, otherSeen = false;
        long heapUsed = 0;
        for (MemoryPoolMXBean p : ManagementFactory.getMemoryPoolMXBeans()) {
            if (!sane(p.getUsage()) || !sane(p.getPeakUsage()) || !p.isValid()) System.out.println("odd " + p.getName());
            if (p.getPeakUsage().getUsed() < 0) System.out.println("peak of " + p.getName());
            if (p.getMemoryManagerNames().length == 0) System.out.println("nobody manages " + p.getName());
            heapSeen |= p.getType() == MemoryType.HEAP;
            otherSeen |= p.getType() == MemoryType.NON_HEAP;
            if (p.getType() == MemoryType.HEAP) heapUsed += p.getUsage().getUsed();
            if (p.getType() == MemoryType.NON_HEAP && p.getCollectionUsage() != null) System.out.println("collected " + p.getName());
            if (!p.isUsageThresholdSupported())
                try {
                    p.setUsageThreshold(1000);
                    System.out.println("threshold of " + p.getName());
                } catch (UnsupportedOperationException e) { }
        }
        System.out.println("pools " + heapSeen + " " + otherSeen);
        System.out.println("heap pools " + (Math.abs(heapUsed - memory.getHeapMemoryUsage().getUsed()) < 16 << 20));
        List<String> pools = ManagementFactory.getMemoryPoolMXBeans().stream().map(MemoryPoolMXBean::getName).toList();
        for (MemoryManagerMXBean m : ManagementFactory.getMemoryManagerMXBeans())
            for (String p : m.getMemoryPoolNames())
                if (!pools.contains(p)) System.out.println("unknown pool " + p);
        MemoryPoolMXBean heap = ManagementFactory.getMemoryPoolMXBeans().stream()
                .filter(p -> p.getType() == MemoryType.HEAP).findFirst().get();
        heap.resetPeakUsage();
        System.out.println("reset " + (heap.getPeakUsage().getUsed() <= heap.getUsage().getUsed() + (16 << 20)));
        System.out.println("verbose " + memory.isVerbose());
        System.out.println("classes " + ManagementFactory.getClassLoadingMXBean().isVerbose());
    }
}
