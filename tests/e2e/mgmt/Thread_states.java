import java.lang.management.LockInfo;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadInfo;
import java.lang.management.ThreadMXBean;
import java.util.concurrent.locks.LockSupport;
import java.util.concurrent.locks.ReentrantLock;

public class Thread_states {
    static final Object monitor = new Object(), waited = new Object();
    static final ReentrantLock lock = new ReentrantLock();
    static final ThreadMXBean bean = ManagementFactory.getThreadMXBean();

    static Thread start(String name, Runnable body) {
        Thread t = new Thread(body, name);
        t.setDaemon(true);
        t.start();
        return t;
    }

    static ThreadInfo when(Thread t, Thread.State state) throws Exception {
        for (;;) {
            ThreadInfo info = bean.getThreadInfo(t.getId(), Integer.MAX_VALUE);
            // The lock is reported shortly before or after the state changes.
            if (info.getThreadState() == state && t.getState() == state) {
                Thread.sleep(20);
                return bean.getThreadInfo(t.getId(), Integer.MAX_VALUE);
            }
            Thread.sleep(5);
        }
    }

    static void show(Thread t, Thread.State state) throws Exception {
        ThreadInfo i = when(t, state);
        LockInfo l = i.getLockInfo();
        System.out.println(i.getThreadName() + " " + i.getThreadState() + " on "
                + (l == null ? null : l.getClassName()) + " owner " + i.getLockOwnerName()
                + (i.getLockOwnerId() == Thread.currentThread().getId() ? " (main)" : "")
                + " same name " + (l == null ? i.getLockName() == null : l.toString().equals(i.getLockName()))
                + " daemon " + i.isDaemon() + " priority " + i.getPriority()
                + " suspended " + i.isSuspended());
        StackTraceElement[] trace = i.getStackTrace();
        System.out.println("  top " + trace[0].getClassName() + "." + trace[0].getMethodName()
                + " bottom " + trace[trace.length - 1].getMethodName());
    }

    static void inWait(long millis) {
        synchronized (waited) {
            try { waited.wait(millis); } catch (InterruptedException e) { }
        }
    }

    public static void main(String[] args) throws Exception {
        lock.lock();
        synchronized (monitor) {
            show(start("blocked", () -> { synchronized (monitor) { } }), Thread.State.BLOCKED);
            show(start("locking", () -> lock.lock()), Thread.State.WAITING);
            show(start("waiting", () -> inWait(0)), Thread.State.WAITING);
            show(start("timed", () -> inWait(1000000)), Thread.State.TIMED_WAITING);
            show(start("sleeping", () -> {
                try { Thread.sleep(1000000); } catch (InterruptedException e) { }
            }), Thread.State.TIMED_WAITING);
            show(start("parked", () -> { for (;;) LockSupport.park(); }), Thread.State.WAITING);
            show(start("parked on", () -> { for (;;) LockSupport.park("blocker"); }), Thread.State.WAITING);
            show(start("parked for", () -> { for (;;) LockSupport.parkNanos(1000000000000L); }),
                    Thread.State.TIMED_WAITING);
        }
        Thread never = new Thread(() -> { });
        System.out.println("not started " + bean.getThreadInfo(never.getId()));
        Thread over = start("over", () -> { });
        over.join();
        System.out.println("ended " + bean.getThreadInfo(over.getId()));
        ThreadInfo self = bean.getThreadInfo(Thread.currentThread().getId(), 1);
        System.out.println("self " + self.getThreadState() + " " + self.getStackTrace().length);
        System.out.println("no stack " + bean.getThreadInfo(Thread.currentThread().getId()).getStackTrace().length);
        ThreadInfo[] several = bean.getThreadInfo(new long[] {Thread.currentThread().getId(), over.getId()}, 3);
        System.out.println("several " + several.length + " " + (several[0] != null) + " " + (several[1] == null));
        for (long id : new long[] {0, -1})
            try { bean.getThreadInfo(id); } catch (IllegalArgumentException e) { System.out.println(e.getMessage()); }
        try { bean.getThreadInfo(1, -1); } catch (IllegalArgumentException e) { System.out.println(e.getMessage()); }
        try { bean.getThreadInfo(new long[] {1, -5}); } catch (IllegalArgumentException e) { System.out.println(e.getMessage()); }
        try { bean.getThreadInfo((long[]) null); } catch (NullPointerException e) { System.out.println("null"); }
    }
}
