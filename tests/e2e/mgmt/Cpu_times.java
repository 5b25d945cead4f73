import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;

public class Cpu_times {
    static volatile long sink;
    static volatile boolean done;

    static void burn(long nanos) {
        long end = System.nanoTime() + nanos;
        while (System.nanoTime() < end) sink += System.nanoTime();
    }

    public static void main(String[] args) throws Exception {
        ThreadMXBean bean = ManagementFactory.getThreadMXBean();
        System.out.println(bean.isThreadCpuTimeSupported() + " " + bean.isCurrentThreadCpuTimeSupported()
                + " " + bean.isThreadCpuTimeEnabled());
        long before = bean.getCurrentThreadCpuTime();
        while (bean.getCurrentThreadUserTime() < 30_000_000) burn(10_000_000);
        long cpu = bean.getCurrentThreadCpuTime();
        System.out.println("grows " + (cpu > before));
        System.out.println("by id " + (bean.getThreadCpuTime(Thread.currentThread().getId()) >= cpu));
        System.out.println("user " + (bean.getThreadUserTime(Thread.currentThread().getId()) > 0));
        Thread t = new Thread(() -> { while (!done) burn(1_000_000); });
        t.start();
        while (bean.getThreadCpuTime(t.getId()) < 20_000_000) Thread.sleep(5);
        System.out.println("other true");
        done = true;
        t.join();
        for (int i = 0; bean.getThreadCpuTime(t.getId()) != -1 && i < 3000; i++) Thread.sleep(10);
        System.out.println("ended " + bean.getThreadCpuTime(t.getId()) + " " + bean.getThreadUserTime(t.getId()));
        try { bean.getThreadCpuTime(-3); } catch (IllegalArgumentException e) { System.out.println(e.getMessage()); }
        com.sun.management.ThreadMXBean more = (com.sun.management.ThreadMXBean) bean;
        long[] times = more.getThreadCpuTime(new long[] {Thread.currentThread().getId(), t.getId()});
        System.out.println(times.length + " " + (times[0] >= cpu) + " " + times[1]);
        bean.setThreadCpuTimeEnabled(false);
        System.out.println("off " + bean.isThreadCpuTimeEnabled() + " " + bean.getCurrentThreadCpuTime());
        bean.setThreadCpuTimeEnabled(true);
        System.out.println("on " + (bean.getCurrentThreadCpuTime() >= cpu));
    }
}
