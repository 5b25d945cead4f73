import java.lang.management.ManagementFactory;
import java.lang.management.ThreadInfo;
import java.lang.management.ThreadMXBean;

public class Contention {
    static final Object lock = new Object();

    static ThreadInfo contend(ThreadMXBean bean) throws Exception {
        Object signal = new Object();
        Thread t = new Thread(() -> {
            synchronized (lock) { }
            synchronized (lock) {
                try { lock.wait(30); } catch (InterruptedException e) { }
            }
            synchronized (signal) {
                try { signal.wait(); } catch (InterruptedException e) { }
            }
        });
        synchronized (lock) {
            t.start();
            while (t.getState() != Thread.State.BLOCKED) Thread.sleep(1);
            Thread.sleep(200);
        }
        while (t.getState() != Thread.State.WAITING) Thread.sleep(1);
        ThreadInfo info = bean.getThreadInfo(t.getId());
        // The count may change after the state.
        for (int i = 0; info.getWaitedCount() < 2 && i < 1000; i++) {
            Thread.sleep(10);
            info = bean.getThreadInfo(t.getId());
        }
        synchronized (signal) { signal.notifyAll(); }
        t.join();
        return info;
    }

    public static void main(String[] args) throws Exception {
        ThreadMXBean bean = ManagementFactory.getThreadMXBean();
        System.out.println(bean.isThreadContentionMonitoringSupported() + " " + bean.isThreadContentionMonitoringEnabled());
        ThreadInfo off = contend(bean);
        System.out.println("off " + off.getBlockedTime() + " " + off.getWaitedTime());
        System.out.println("counts " + off.getBlockedCount() + " " + off.getWaitedCount());
        bean.setThreadContentionMonitoringEnabled(true);
        ThreadInfo on = contend(bean);
        System.out.println("on " + bean.isThreadContentionMonitoringEnabled());
        System.out.println("blocked " + (on.getBlockedTime() >= 30 && on.getBlockedTime() < 100000));
        System.out.println("waited " + (on.getWaitedTime() >= 25 && on.getWaitedTime() < 100000));
        System.out.println("counts " + on.getBlockedCount() + " " + on.getWaitedCount());
    }
}
