// Interrupts against notifications and timeouts: no notification is lost, the flag and the exception agree.
public class Interrupt_waitRace {
    public static void main(String[] args) throws Exception {
        // either the waiter is notified with its flag set, or it throws with the flag clear: never both, never none
        int bad = 0;
        for (int i = 0; i < 200; i++) {
            Object lock = new Object();
            boolean[] ready = {false}, told = {false}, wrong = {false};
            Thread t = new Thread(() -> {
                synchronized (lock) {
                    ready[0] = true;
                    lock.notifyAll();
                    try {
                        while (!told[0]) lock.wait();
                        wrong[0] = false;
                    } catch (InterruptedException e) {
                        wrong[0] = Thread.currentThread().isInterrupted();
                    }
                }
            });
            t.start();
            synchronized (lock) { while (!ready[0]) lock.wait(); }
            if (i % 2 == 0) t.interrupt();
            synchronized (lock) { told[0] = true; lock.notify(); }
            if (i % 2 == 1) t.interrupt();
            t.join();
            if (wrong[0]) bad++;
        }
        System.out.println("bad " + bad);
        // two waiters, one notified and interrupted at once: the other must not wait forever
        int stuck = 0;
        for (int i = 0; i < 50; i++) {
            Object lock = new Object();
            int[] waiting = {0}, out = {0};
            Thread[] ts = new Thread[2];
            for (int k = 0; k < 2; k++) {
                ts[k] = new Thread(() -> {
                    synchronized (lock) {
                        waiting[0]++;
                        try { lock.wait(); } catch (InterruptedException e) { }
                        out[0]++;
                        lock.notify();
                    }
                });
                ts[k].start();
            }
            while (true) { synchronized (lock) { if (waiting[0] == 2) break; } Thread.yield(); }
            synchronized (lock) { lock.notify(); ts[0].interrupt(); }
            for (Thread t : ts) { t.join(30_000); if (t.isAlive()) { stuck++; t.interrupt(); } }
        }
        System.out.println("stuck " + stuck);
        // an interrupt before wait, before sleep, and during a wait for a monitor
        Object lock = new Object();
        Thread.currentThread().interrupt();
        try { synchronized (lock) { lock.wait(); } } catch (InterruptedException e) { System.out.println("before wait " + Thread.interrupted()); }
        boolean[] flag = {false};
        Thread t = new Thread(() -> { synchronized (lock) { flag[0] = Thread.currentThread().isInterrupted(); } });
        synchronized (lock) {
            t.start();
            while (t.getState() != Thread.State.BLOCKED) Thread.sleep(1);
            t.interrupt();
            Thread.sleep(5);
            System.out.println("still " + t.getState());
        }
        t.join();
        System.out.println("entered with flag " + flag[0] + ", after the end " + t.isInterrupted());
    }
}
