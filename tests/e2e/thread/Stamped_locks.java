// StampedLock, ReentrantReadWriteLock and Semaphore: modes, conversions, stamps that fail, fairness counters.
import java.util.concurrent.*;
import java.util.concurrent.locks.*;

public class Stamped_locks {
    public static void main(String[] args) throws Exception {
        StampedLock s = new StampedLock();
        long o = s.tryOptimisticRead();
        System.out.println(s.validate(o) + " " + s.isReadLocked() + " " + s.isWriteLocked());
        long w = s.writeLock();
        System.out.println(s.validate(o) + " " + s.validate(w) + " " + (s.tryOptimisticRead() == 0) + " " + (s.tryReadLock() == 0));
        long r = s.tryConvertToReadLock(w);
        System.out.println(r != 0 && s.isReadLocked() && s.getReadLockCount() == 1);
        long r2 = s.readLock();
        System.out.println(s.getReadLockCount() + " " + (s.tryConvertToWriteLock(r) == 0) + " " + (s.tryWriteLock(5, TimeUnit.MILLISECONDS) == 0));
        s.unlockRead(r2);
        long w2 = s.tryConvertToWriteLock(r);
        System.out.println(w2 != 0 && s.isWriteLocked());
        s.unlock(w2);
        try { s.unlockWrite(w2); } catch (IllegalMonitorStateException e) { System.out.println("stale stamp"); }
        ReentrantReadWriteLock rw = new ReentrantReadWriteLock();
        rw.readLock().lock();
        System.out.println(rw.getReadHoldCount() + " " + rw.writeLock().tryLock() + " " + rw.getReadLockCount());
        rw.readLock().unlock();
        rw.writeLock().lock();
        rw.readLock().lock();
        rw.writeLock().unlock();
        System.out.println(rw.isWriteLocked() + " " + rw.getReadHoldCount());
        try { rw.writeLock().unlock(); } catch (IllegalMonitorStateException e) { System.out.println("not owner"); }
        try { rw.readLock().newCondition(); } catch (UnsupportedOperationException e) { System.out.println("no condition"); }
        int[] shared = {0, 0};
        Thread[] ts = new Thread[4];
        for (int i = 0; i < 4; i++) {
            ts[i] = new Thread(() -> {
                for (int k = 0; k < 200; k++) {
                    long x = s.writeLock();
                    try { shared[0]++; shared[1]--; } finally { s.unlockWrite(x); }
                    long y = s.tryOptimisticRead();
                    int a = shared[0], b = shared[1];
                    if (!s.validate(y)) { y = s.readLock(); try { a = shared[0]; b = shared[1]; } finally { s.unlockRead(y); } }
                    if (a + b != 0) System.out.println("torn");
                }
            });
            ts[i].start();
        }
        for (Thread t : ts) t.join();
        System.out.println(shared[0] + " " + shared[1]);
        Semaphore sem = new Semaphore(3, true);
        sem.acquire(2);
        System.out.println(sem.availablePermits() + " " + sem.tryAcquire(2) + " " + sem.tryAcquire() + " " + sem.drainPermits() + " " + sem.tryAcquire(1, TimeUnit.MILLISECONDS));
        sem.release(5);
        System.out.println(sem.availablePermits() + " " + sem.isFair() + " " + sem.hasQueuedThreads());
    }
}
