import com.sun.management.GarbageCollectionNotificationInfo;
import com.sun.management.GcInfo;
import java.lang.management.GarbageCollectorMXBean;
import java.lang.management.ManagementFactory;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import javax.management.Notification;
import javax.management.NotificationEmitter;
import javax.management.NotificationListener;
import javax.management.openmbean.CompositeData;

public class Collection_notices {
    public static void main(String[] args) throws Exception {
        LinkedBlockingQueue<Notification> seen = new LinkedBlockingQueue<>();
        NotificationListener listener = (n, back) -> seen.add(n);
        for (GarbageCollectorMXBean g : ManagementFactory.getGarbageCollectorMXBeans())
            ((NotificationEmitter) g).addNotificationListener(listener, null, null);
        System.gc();
        Notification n;
        GarbageCollectionNotificationInfo info;
        do {
            n = seen.poll(1, TimeUnit.MINUTES);
            if (n == null) throw new AssertionError("no notification");
            info = GarbageCollectionNotificationInfo.from((CompositeData) n.getUserData());
        } while (!info.getGcCause().equals("System.gc()"));
        System.out.println(n.getType());
        System.out.println(info.getGcAction());
        GcInfo gc = info.getGcInfo();
        System.out.println("times " + (gc.getStartTime() <= gc.getEndTime() && gc.getDuration() >= 0
                && gc.getEndTime() <= ManagementFactory.getRuntimeMXBean().getUptime() + 1000));
        System.out.println("number " + (gc.getId() >= 1));
        System.out.println("pools " + gc.getMemoryUsageBeforeGc().keySet().equals(gc.getMemoryUsageAfterGc().keySet()));
        for (GarbageCollectorMXBean g : ManagementFactory.getGarbageCollectorMXBeans()) {
            GcInfo last = ((com.sun.management.GarbageCollectorMXBean) g).getLastGcInfo();
            if (last != null && last.getId() > g.getCollectionCount()) System.out.println("odd " + g.getName());
            ((NotificationEmitter) g).removeNotificationListener(listener);
        }
        System.out.println("done");
    }
}
