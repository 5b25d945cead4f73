import java.lang.management.LockInfo;
import java.lang.management.ManagementFactory;
import java.lang.management.MonitorInfo;
import java.lang.management.ThreadInfo;
import java.lang.management.ThreadMXBean;
import java.util.Arrays;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.locks.ReentrantLock;
import java.util.concurrent.locks.ReentrantReadWriteLock;

public class Locked_monitors {
    static final class First { }
    static final class Second { }
    static final First first = new First();
    static final Second second = new Second();
    static final ReentrantLock lock = new ReentrantLock(true);
    static final ReentrantReadWriteLock both = new ReentrantReadWriteLock();
    static final CountDownLatch ready = new CountDownLatch(1);
    static volatile boolean done;

    static synchronized void inStatic() {
        synchronized (second) {
            synchronized (second) {
                ready.countDown();
                while (!done) Thread.onSpinWait();
            }
        }
    }

    static void outer() {
        synchronized (first) { inStatic(); }
    }

    static void show(ThreadInfo i) {
        System.out.println(i.getThreadName() + " monitors " + i.getLockedMonitors().length
                + " synchronizers " + i.getLockedSynchronizers().length);
        for (MonitorInfo m : i.getLockedMonitors())
            System.out.println("  " + m.getClassName() + " at " + m.getLockedStackFrame().getMethodName()
                    + " " + m.getLockedStackFrame().equals(i.getStackTrace()[m.getLockedStackDepth()]));
        // Sorted, because the order in the heap is up to the VM.
        Arrays.stream(i.getLockedSynchronizers()).map(LockInfo::getClassName).sorted()
                .forEach(name -> System.out.println("  " + name));
    }

    public static void main(String[] args) throws Exception {
        Thread t = new Thread(() -> {
            lock.lock();
            both.writeLock().lock();
            outer();
        }, "holder");
        t.start();
        ready.await();
        ThreadMXBean bean = ManagementFactory.getThreadMXBean();
        System.out.println(bean.isObjectMonitorUsageSupported() + " " + bean.isSynchronizerUsageSupported());
        long[] ids = {t.getId()};
        show(bean.getThreadInfo(ids, true, true)[0]);
        show(bean.getThreadInfo(ids, true, false)[0]);
        show(bean.getThreadInfo(ids, false, true)[0]);
        show(bean.getThreadInfo(ids, false, false)[0]);
        ReentrantLock[] many = new ReentrantLock[100];
        for (int i = 0; i < many.length; i++) (many[i] = new ReentrantLock()).lock();
        System.out.println(bean.getThreadInfo(new long[] {Thread.currentThread().getId()}, false, true)[0]
                .getLockedSynchronizers().length >= many.length);
        for (ThreadInfo i : bean.dumpAllThreads(true, true))
            if (i.getThreadId() == t.getId()) show(i);
        for (ThreadInfo i : bean.dumpAllThreads(true, false, 1))
            if (i.getThreadId() == t.getId()) System.out.println("depth " + i.getStackTrace().length);
        ThreadInfo i = bean.getThreadInfo(ids, true, true)[0];
        System.out.println(i.toString().startsWith("\"holder\" prio=5 Id=" + t.getId() + " RUNNABLE"));
        System.out.println(i.getLockedSynchronizers()[0].getIdentityHashCode() != 0);
        done = true;
        t.join();
    }
}
