import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.locks.ReentrantLock;

// Forks while threads allocate, lock, get code compiled and sleep. Each child works, collects, starts a thread and ends
// normally. Arguments: the library of natives, the number of forks.
public class Forks {
    static native int fork();
    static native int await(int pid);  // exit status, or -100 - signal

    static final List<byte[]> kept = new ArrayList<>();
    static final ReentrantLock lock = new ReentrantLock();
    static final Object monitor = new Object();
    static volatile long sink;

    static int sum(int n) { return n == 0 ? 0 : n + sum(n - 1); }

    static String work() throws InterruptedException {
        Map<Integer, String> map = new TreeMap<>();
        for (int i = 0; i < 20_000; i++) {
            map.put(i % 1000, "x" + i);
            kept.add(new byte[1000]);
            if (kept.size() > 2000) kept.clear();
        }
        System.gc();
        Thread t = new Thread(() -> map.put(-1, "thread"));
        t.start();
        t.join();
        Thread.sleep(1);
        return map.size() + " " + sum(100) + " " + map.get(-1) + " " + String.valueOf(new Object().hashCode()).isEmpty();
    }

    static void busy(Runnable body) {
        Thread t = new Thread(() -> { for (;;) body.run(); });
        t.setDaemon(true);
        t.start();
    }

    public static void main(String[] args) throws Exception {
        System.load(args[0]);
        Map<Integer, int[]> own = new TreeMap<>();
        busy(() -> { for (int i = 0; i < 1000; i++) own.put(i, new int[i % 50]); });
        busy(() -> { lock.lock(); try { sink++; } finally { lock.unlock(); } });
        busy(() -> { synchronized (monitor) { sink += monitor.hashCode(); } Thread.yield(); });
        Thread sleeper = new Thread(() -> { try { Thread.sleep(1_000_000); } catch (InterruptedException e) { } });
        sleeper.setDaemon(true);
        sleeper.start();
        System.out.println(work());
        for (int i = 0, n = Integer.parseInt(args[1]); i < n; i++) {
            int pid = fork();
            if (pid == 0) {
                System.out.println("child " + work() + " " + sleeper.isAlive());
                System.exit(40 + i);
            }
            int status = await(pid);
            System.out.println("parent " + (pid > 0) + " " + (status == 40 + i ? "as it should" : status) + " " + sleeper.isAlive());
        }
        System.out.println(work());
        System.exit(3);
    }
}
