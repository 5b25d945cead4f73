// Phaser, CyclicBarrier, Exchanger and CountDownLatch: phases, broken barriers, deregistration, swapped values.
import java.util.concurrent.*;
import java.util.*;

public class Phaser_exchange {
    public static void main(String[] args) throws Exception {
        List<String> log = Collections.synchronizedList(new ArrayList<>());
        Phaser p = new Phaser(1) { @Override protected boolean onAdvance(int phase, int parties) { log.add("phase " + phase + " parties " + parties); return phase >= 3 || parties == 0; } };
        for (int i = 0; i < 3; i++) {
            int id = i;
            p.register();
            new Thread(() -> { for (int k = 0; k <= id; k++) p.arriveAndAwaitAdvance(); p.arriveAndDeregister(); }).start();
        }
        while (!p.isTerminated()) p.arriveAndAwaitAdvance();
        System.out.println(log + " " + (p.arrive() < 0) + " " + p.isTerminated());
        CyclicBarrier b = new CyclicBarrier(3, () -> log.add("action"));
        log.clear();
        Thread[] ts = new Thread[3];
        int[] index = new int[3];
        for (int i = 0; i < 3; i++) { int id = i; (ts[i] = new Thread(() -> { try { index[id] = b.await(); } catch (Exception e) { log.add(e.toString()); } })).start(); }
        for (Thread t : ts) t.join();
        Arrays.sort(index);
        System.out.println(Arrays.toString(index) + " " + log);
        Thread lone = new Thread(() -> { try { b.await(); } catch (Exception e) { log.add(e.getClass().getSimpleName()); } });
        lone.start();
        while (b.getNumberWaiting() == 0) Thread.yield();
        b.reset();
        lone.join();
        try { b.await(1, TimeUnit.MILLISECONDS); } catch (TimeoutException e) { log.add("timeout"); }
        try { b.await(); } catch (BrokenBarrierException e) { log.add("broken"); }
        System.out.println(log + " " + b.isBroken());
        CyclicBarrier failing = new CyclicBarrier(1, () -> { throw new IllegalStateException("action fails"); });
        try { failing.await(); } catch (IllegalStateException e) { System.out.println(e.getMessage() + " " + failing.isBroken()); }
        Exchanger<String> ex = new Exchanger<>();
        String[] got = new String[1];
        Thread other = new Thread(() -> { try { got[0] = ex.exchange("from other"); } catch (InterruptedException e) { } });
        other.start();
        System.out.println(ex.exchange("from main"));
        other.join();
        System.out.println(got[0]);
        try { ex.exchange("alone", 1, TimeUnit.MILLISECONDS); } catch (TimeoutException e) { System.out.println("nobody came"); }
        CountDownLatch latch = new CountDownLatch(2);
        latch.countDown();
        System.out.println(latch.getCount() + " " + latch.await(1, TimeUnit.MILLISECONDS));
        latch.countDown();
        latch.countDown();
        System.out.println(latch.getCount() + " " + latch.await(1, TimeUnit.MILLISECONDS));
    }
}
