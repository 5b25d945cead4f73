import java.lang.management.ManagementFactory;
import java.lang.management.ThreadInfo;
import java.lang.management.ThreadMXBean;
import java.util.Arrays;
import java.util.concurrent.CountDownLatch;

public class Thread_counts {
    public static void main(String[] args) throws Exception {
        ThreadMXBean bean = ManagementFactory.getThreadMXBean();
        int live = bean.getThreadCount(), daemons = bean.getDaemonThreadCount();
        long total = bean.getTotalStartedThreadCount();
        CountDownLatch up = new CountDownLatch(10), down = new CountDownLatch(1);
        Thread[] threads = new Thread[10];
        for (int i = 0; i < 10; i++) {
            threads[i] = new Thread(() -> {
                up.countDown();
                try { down.await(); } catch (InterruptedException e) { }
            }, "counted" + i);
            threads[i].setDaemon(i < 4);
            threads[i].start();
        }
        up.await();
        System.out.println("live " + (bean.getThreadCount() - live));
        System.out.println("daemons " + (bean.getDaemonThreadCount() - daemons));
        System.out.println("started " + (bean.getTotalStartedThreadCount() - total));
        System.out.println("peak " + (bean.getPeakThreadCount() >= live + 10));
        long[] ids = bean.getAllThreadIds();
        System.out.println("ids " + (ids.length == bean.getThreadCount())
                + " " + Arrays.stream(threads).allMatch(t -> Arrays.stream(ids).anyMatch(i -> i == t.getId())));
        System.out.println("counted " + Arrays.stream(bean.dumpAllThreads(false, false))
                .filter(i -> i.getThreadName().startsWith("counted")).count());
        System.out.println("named " + Arrays.stream(bean.getThreadInfo(ids)).map(ThreadInfo::getThreadName)
                .filter(n -> n.equals("main") || n.equals("Finalizer") || n.equals("Reference Handler")
                        || n.equals("Signal Dispatcher")).sorted().toList());
        down.countDown();
        for (Thread t : threads) t.join();
        // A thread leaves the counts only after join returns.
        for (int i = 0; (bean.getThreadCount() > live || bean.getDaemonThreadCount() > daemons) && i < 3000; i++)
            Thread.sleep(10);
        System.out.println("after " + (bean.getThreadCount() - live) + " " + (bean.getDaemonThreadCount() - daemons));
        System.out.println("peak stays " + (bean.getPeakThreadCount() >= live + 10));
        bean.resetPeakThreadCount();
        System.out.println("peak reset " + (bean.getPeakThreadCount() - live));
    }
}
