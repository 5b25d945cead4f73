// Threads: subclasses, runnables, pools, futures, monitors; every thread makes a fixed number of calls.
// oracle: calls
import java.util.*;
import java.util.concurrent.*;

public class Threads_shared {
    static final Object lock = new Object();
    static int total;
    static class Worker extends Thread {
        final int n;
        int local;
        Worker(int n) { super("worker" + n); this.n = n; }
        @Override public void run() { for (int i = 0; i < 500; i++) local += step(i); add(local); }
        private int step(int i) { return i % 3 == 0 ? twice(i) : i; }
    }
    static int twice(int i) { return i * 2; }
    static void add(int v) { synchronized (lock) { total += check(v); } }
    static synchronized int check(int v) { return v & 0xffff; }
    static class Job implements Callable<Integer> {
        final int k;
        Job(int k) { this.k = k; }
        public Integer call() throws Exception { if (k == 5) throw failure(); return depth(k * 10); }
        static Exception failure() { return new Exception("five"); }
        static int depth(int d) { return d == 0 ? 0 : 1 + depth(d - 1); }
    }
    static class Box {
        private int v;
        private boolean full;
        synchronized void put(int x) throws InterruptedException { while (full) wait(); v = x; full = true; notifyAll(); }
        synchronized int take() throws InterruptedException { while (!full) wait(); full = false; notifyAll(); return v; }
    }
    public static void main(String[] args) throws Exception {
        List<Worker> ws = new ArrayList<>();
        for (int i = 0; i < 4; i++) ws.add(new Worker(i));
        for (Worker w : ws) w.start();
        for (Worker w : ws) w.join();
        ExecutorService ex = Executors.newFixedThreadPool(3);
        List<Future<Integer>> fs = new ArrayList<>();
        for (int i = 0; i < 12; i++) fs.add(ex.submit(new Job(i)));
        int sum = 0;
        for (Future<Integer> f : fs) {
            try { sum += f.get(); } catch (ExecutionException e) { sum += twice(1000); }
        }
        ex.shutdown();
        Box box = new Box();
        Thread p = new Thread(() -> { try { for (int i = 0; i < 200; i++) box.put(twice(i)); } catch (InterruptedException e) { } });
        p.start();
        for (int i = 0; i < 200; i++) sum += box.take();
        p.join();
        System.out.println(total + " " + sum);
    }
}
