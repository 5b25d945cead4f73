import java.lang.management.ManagementFactory;
import java.lang.management.ThreadInfo;
import java.lang.management.ThreadMXBean;
import java.util.Arrays;
import java.util.TreeSet;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.locks.ReentrantLock;

public class Deadlocks {
    static final ThreadMXBean bean = ManagementFactory.getThreadMXBean();

    static Thread start(String name, Runnable body) {
        Thread t = new Thread(body, name);
        t.setDaemon(true);
        t.start();
        return t;
    }

    static void meet(CyclicBarrier barrier) {
        try { barrier.await(); } catch (Exception e) { throw new RuntimeException(e); }
    }

    static void show(String what, long[] ids) {
        if (ids == null) {
            System.out.println(what + " none");
            return;
        }
        TreeSet<String> lines = new TreeSet<>();
        for (ThreadInfo i : bean.getThreadInfo(ids))
            lines.add(i.getThreadName() + " " + i.getThreadState() + " waits for "
                    + i.getLockInfo().getClassName() + " of " + i.getLockOwnerName());
        System.out.println(what + " " + ids.length);
        for (String l : lines) System.out.println("  " + l);
    }

    static void await(int n, boolean synchronizers) throws Exception {
        for (;;) {
            long[] ids = synchronizers ? bean.findDeadlockedThreads() : bean.findMonitorDeadlockedThreads();
            if (ids != null && ids.length == n) return;
            Thread.sleep(10);
        }
    }

    public static void main(String[] args) throws Exception {
        show("before", bean.findDeadlockedThreads());
        show("before", bean.findMonitorDeadlockedThreads());
        Object[] ring = {new Object(), new StringBuilder(), new int[0]};
        CyclicBarrier three = new CyclicBarrier(3);
        for (int i = 0; i < 3; i++) {
            Object mine = ring[i], next = ring[(i + 1) % 3];
            start("ring" + i, () -> {
                synchronized (mine) {
                    meet(three);
                    synchronized (next) { }
                }
            });
        }
        // A thread outside the ring that waits for a member of it.
        await(3, false);
        Thread outsider = start("outsider", () -> { synchronized (ring[0]) { } });
        while (outsider.getState() != Thread.State.BLOCKED) Thread.sleep(1);
        show("monitors", bean.findMonitorDeadlockedThreads());
        show("all", bean.findDeadlockedThreads());
        ReentrantLock lock = new ReentrantLock();
        Object monitor = new Object();
        CyclicBarrier two = new CyclicBarrier(2);
        start("mixed0", () -> {
            lock.lock();
            meet(two);
            synchronized (monitor) { }
        });
        start("mixed1", () -> {
            synchronized (monitor) {
                meet(two);
                lock.lock();
            }
        });
        await(5, true);
        show("monitors", bean.findMonitorDeadlockedThreads());
        show("all", bean.findDeadlockedThreads());
        System.out.println(Arrays.stream(bean.findDeadlockedThreads()).distinct().count());
    }
}
