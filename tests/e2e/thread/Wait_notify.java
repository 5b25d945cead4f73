// wait, notify, notifyAll, timed waits, interrupt while waiting, a bounded buffer.
import java.util.*;

public class Wait_notify {
    static class Buffer {
        private final int[] items = new int[5];
        private int in, out, n;
        synchronized void put(int v) throws InterruptedException {
            while (n == items.length) wait();
            items[in] = v;
            in = (in + 1) % items.length;
            n++;
            notifyAll();
        }
        synchronized int take() throws InterruptedException {
            while (n == 0) wait();
            int v = items[out];
            out = (out + 1) % items.length;
            n--;
            notifyAll();
            return v;
        }
    }

    public static void main(String[] args) throws Exception {
        Buffer b = new Buffer();
        long[] sums = new long[3];
        Thread[] ps = new Thread[3], cs = new Thread[3];
        for (int i = 0; i < 3; i++) {
            int k = i;
            ps[i] = new Thread(() -> { try { for (int j = 0; j < 300; j++) b.put(k * 1000 + j); } catch (InterruptedException e) { throw new Error(e); } });
            cs[i] = new Thread(() -> { try { for (int j = 0; j < 300; j++) sums[k] += b.take(); } catch (InterruptedException e) { throw new Error(e); } });
        }
        for (Thread t : ps) t.start();
        for (Thread t : cs) t.start();
        for (Thread t : ps) t.join();
        for (Thread t : cs) t.join();
        System.out.println(sums[0] + sums[1] + sums[2]);
        Object o = new Object();
        long t0 = System.nanoTime();
        synchronized (o) { o.wait(30); }
        long ms = (System.nanoTime() - t0) / 1_000_000;
        System.out.println(ms >= 29);
        Thread.currentThread().interrupt();
        try {
            synchronized (o) { o.wait(10_000); }
        } catch (InterruptedException e) {
            System.out.println("IE " + Thread.interrupted() + " " + e.getMessage());
        }
        boolean[] go = {false};
        int[] woken = {0};
        List<Thread> ws = new ArrayList<>();
        for (int i = 0; i < 6; i++) {
            Thread w = new Thread(() -> {
                synchronized (o) {
                    while (!go[0]) try { o.wait(); } catch (InterruptedException e) { woken[0] += 100; return; }
                    woken[0]++;
                }
            });
            w.start();
            ws.add(w);
        }
        for (Thread w : ws) while (w.getState() != Thread.State.WAITING) Thread.sleep(1);
        ws.get(0).interrupt();
        ws.get(0).join();
        synchronized (o) { o.notify(); }
        synchronized (o) { go[0] = true; o.notifyAll(); }
        for (Thread w : ws) w.join();
        System.out.println(woken[0]);
        synchronized (o) {
            synchronized (o) {
                o.wait(1);
                System.out.println(Thread.holdsLock(o));
            }
            System.out.println(Thread.holdsLock(o));
        }
    }
}
