// ThreadMXBean: finds deadlocks of monitors and of owned locks, with owners; thread information of blocked threads.
import java.lang.management.*;
import java.util.*;
import java.util.concurrent.*;
import java.util.concurrent.locks.*;

public class Deadlock_report {
    static class Fork { }

    public static void main(String[] args) throws Exception {
        ThreadMXBean m = ManagementFactory.getThreadMXBean();
        System.out.println(m.findDeadlockedThreads() == null);
        Object a = new Fork(), b = new Fork();
        CountDownLatch both = new CountDownLatch(2);
        Thread x = new Thread(() -> { synchronized (a) { await(both); synchronized (b) { } } }, "x"), y = new Thread(() -> { synchronized (b) { await(both); synchronized (a) { } } }, "y");
        for (Thread t : new Thread[]{x, y}) { t.setDaemon(true); t.start(); }
        while (x.getState() != Thread.State.BLOCKED || y.getState() != Thread.State.BLOCKED) Thread.sleep(1);
        long[] ids = m.findMonitorDeadlockedThreads();
        Set<String> names = new TreeSet<>();
        for (ThreadInfo i : m.getThreadInfo(ids, 10)) names.add(i.getThreadName() + " " + i.getThreadState() + " on " + i.getLockInfo().getClassName() + " of " + i.getLockOwnerName() + " at " + i.getStackTrace()[0].getMethodName());
        names.forEach(System.out::println);
        ReentrantLock p = new ReentrantLock(), q = new ReentrantLock();
        CountDownLatch two = new CountDownLatch(2);
        Thread u = new Thread(() -> { p.lock(); await(two); q.lock(); }, "u"), v = new Thread(() -> { q.lock(); await(two); p.lock(); }, "v");
        for (Thread t : new Thread[]{u, v}) { t.setDaemon(true); t.start(); }
        while (!p.hasQueuedThreads() || !q.hasQueuedThreads() || u.getState() != Thread.State.WAITING || v.getState() != Thread.State.WAITING) Thread.sleep(1);
        System.out.println(m.findMonitorDeadlockedThreads().length + " " + m.findDeadlockedThreads().length);
        ThreadInfo i = m.getThreadInfo(u.getId());
        System.out.println(i.getLockOwnerName() + " " + i.getLockInfo().getClassName() + " " + i.isSuspended() + " " + i.isInNative());
        System.out.println(m.getThreadCount() >= 5);
    }
    static void await(CountDownLatch l) { l.countDown(); try { l.await(); } catch (InterruptedException e) { } }
}
