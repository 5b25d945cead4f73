import com.sun.management.ThreadMXBean;
import java.lang.management.ManagementFactory;

public class Allocated_bytes {
    static Object keep;

    public static void main(String[] args) throws Exception {
        ThreadMXBean bean = (ThreadMXBean) ManagementFactory.getThreadMXBean();
        System.out.println(bean.isThreadAllocatedMemorySupported() + " " + bean.isThreadAllocatedMemoryEnabled());
        long id = Thread.currentThread().getId();
        bean.getThreadAllocatedBytes(id);
        long before = bean.getThreadAllocatedBytes(id);
        for (int i = 0; i < 1000; i++) keep = new byte[1000];
        long used = bean.getThreadAllocatedBytes(id) - before;
        System.out.println("small " + (used >= 1_000_000 && used < 1_300_000));
        before = bean.getCurrentThreadAllocatedBytes();
        keep = new long[1_000_000];
        used = bean.getCurrentThreadAllocatedBytes() - before;
        System.out.println("large " + (used >= 8_000_000 && used < 8_200_000));
        long[] seen = new long[1];
        Object lock = new Object();
        Thread t = new Thread(() -> {
            Object[] mine = new Object[100_000];
            synchronized (lock) {
                keep = mine;
                lock.notifyAll();
                try { lock.wait(); } catch (InterruptedException e) { }
            }
        });
        synchronized (lock) {
            keep = null;
            t.start();
            while (keep == null) lock.wait();
            seen[0] = bean.getThreadAllocatedBytes(t.getId());
            lock.notifyAll();
        }
        t.join();
        System.out.println("other " + (seen[0] >= 400_000 && seen[0] < 2_000_000));
        for (int i = 0; bean.getThreadAllocatedBytes(t.getId()) != -1 && i < 3000; i++) Thread.sleep(10);
        long[] both = bean.getThreadAllocatedBytes(new long[] {id, t.getId()});
        System.out.println("ended " + both[1] + " " + (both[0] > 0));
        bean.setThreadAllocatedMemoryEnabled(false);
        System.out.println("off " + bean.getThreadAllocatedBytes(id));
    }
}
