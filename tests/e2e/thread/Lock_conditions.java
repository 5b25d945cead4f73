// ReentrantLock, conditions, read-write and stamped locks, semaphore, latch, barrier, phaser, exchanger.
import java.util.concurrent.*;
import java.util.concurrent.atomic.*;
import java.util.concurrent.locks.*;

public class Lock_conditions {
    public static void main(String[] args) throws Exception {
        ReentrantLock l = new ReentrantLock(true);
        Condition even = l.newCondition(), odd = l.newCondition();
        StringBuilder sb = new StringBuilder();
        int[] next = {0};
        Thread[] ts = new Thread[2];
        for (int t = 0; t < 2; t++) {
            int me = t;
            ts[t] = new Thread(() -> {
                for (int i = 0; i < 6; i++) {
                    l.lock();
                    try {
                        while (next[0] % 2 != me) (me == 0 ? even : odd).await();
                        sb.append(next[0]++);
                        (me == 0 ? odd : even).signal();
                    } catch (InterruptedException e) {
                        return;
                    } finally {
                        l.unlock();
                    }
                }
            });
            ts[t].start();
        }
        for (Thread t : ts) t.join();
        System.out.println(sb + " " + l.isLocked() + " " + l.isFair() + " " + l.getHoldCount());
        l.lock();
        l.lock();
        System.out.println(l.getHoldCount() + " " + l.isHeldByCurrentThread() + " " + l.tryLock());
        l.unlock(); l.unlock(); l.unlock();
        try {
            l.unlock();
        } catch (IllegalMonitorStateException e) {
            System.out.println("not owner");
        }
        l.lock();
        System.out.println(even.awaitNanos(5_000_000) <= 0);
        l.unlock();
        ReentrantReadWriteLock rw = new ReentrantReadWriteLock();
        rw.readLock().lock();
        rw.readLock().lock();
        System.out.println(rw.getReadLockCount() + " " + rw.writeLock().tryLock());
        rw.readLock().unlock(); rw.readLock().unlock();
        rw.writeLock().lock();
        rw.readLock().lock();
        rw.writeLock().unlock();
        System.out.println(rw.isWriteLocked() + " " + rw.getReadLockCount());
        StampedLock s = new StampedLock();
        long o = s.tryOptimisticRead();
        System.out.print(s.validate(o) + " ");
        long w = s.writeLock();
        System.out.print(s.validate(o) + " " + s.isWriteLocked() + " ");
        s.unlockWrite(w);
        long r = s.readLock();
        System.out.println((s.tryConvertToWriteLock(r) != 0) + " " + s.isWriteLocked());
        Semaphore sem = new Semaphore(2);
        AtomicInteger inside = new AtomicInteger(), most = new AtomicInteger();
        Thread[] us = new Thread[5];
        for (int i = 0; i < us.length; i++) {
            us[i] = new Thread(() -> {
                for (int k = 0; k < 20; k++) {
                    sem.acquireUninterruptibly();
                    most.accumulateAndGet(inside.incrementAndGet(), Math::max);
                    Thread.yield();
                    inside.decrementAndGet();
                    sem.release();
                }
            });
            us[i].start();
        }
        for (Thread t : us) t.join();
        System.out.println((most.get() <= 2) + " " + sem.availablePermits() + " " + sem.tryAcquire(3));
        CountDownLatch latch = new CountDownLatch(3);
        for (int i = 0; i < 3; i++) new Thread(latch::countDown).start();
        System.out.println(latch.await(1, TimeUnit.MINUTES) + " " + latch.getCount());
        AtomicInteger rounds = new AtomicInteger();
        CyclicBarrier bar = new CyclicBarrier(3, rounds::incrementAndGet);
        Thread[] bs = new Thread[3];
        for (int i = 0; i < 3; i++) {
            bs[i] = new Thread(() -> { try { for (int k = 0; k < 5; k++) bar.await(); } catch (Exception e) { rounds.set(-100); } });
            bs[i].start();
        }
        for (Thread t : bs) t.join();
        System.out.println(rounds);
        Phaser ph = new Phaser(1);
        Thread pt = new Thread(() -> { ph.register(); ph.arriveAndAwaitAdvance(); ph.arriveAndDeregister(); });
        pt.start();
        while (ph.getRegisteredParties() < 2) Thread.sleep(1);
        System.out.println(ph.arriveAndAwaitAdvance() + " " + ph.arriveAndDeregister());
        pt.join();
        System.out.println(ph.isTerminated());
        Exchanger<String> x = new Exchanger<>();
        String[] got = new String[1];
        Thread e = new Thread(() -> { try { got[0] = x.exchange("from worker"); } catch (InterruptedException i) { } });
        e.start();
        System.out.print(x.exchange("from main") + " / ");
        e.join();
        System.out.println(got[0]);
    }
}
