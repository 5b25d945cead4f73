// Thread life cycle: states, names, ids, priorities, join with timeouts, start twice, daemon rules.
public class Join_states {
    public static void main(String[] args) throws Exception {
        Thread main = Thread.currentThread();
        System.out.println(main.getName() + " " + main.getPriority() + " " + main.isDaemon() + " " + main.getThreadGroup().getName() + " " + main.getState() + " " + main.getId());
        Object lock = new Object();
        Thread t = new Thread(() -> {
            synchronized (lock) {
                try {
                    lock.wait();
                } catch (InterruptedException e) {
                    System.out.println("interrupted");
                }
            }
        }, "waiter");
        System.out.println(t.getState() + " " + t.isAlive());
        t.start();
        while (t.getState() != Thread.State.WAITING) Thread.sleep(1);
        t.join(5);
        System.out.println(t.isAlive() + " " + t.getState());
        synchronized (lock) { lock.notifyAll(); }
        t.join();
        System.out.println(t.isAlive() + " " + t.getState());
        try {
            t.start();
        } catch (IllegalThreadStateException e) {
            System.out.println("ITSE");
        }
        Thread s = new Thread(() -> {
            try {
                Thread.sleep(1_000_000);
            } catch (InterruptedException e) {
                System.out.println("sleep interrupted " + Thread.currentThread().isInterrupted());
            }
        });
        s.start();
        while (s.getState() != Thread.State.TIMED_WAITING) Thread.sleep(1);
        s.interrupt();
        s.join();
        Thread b = new Thread(() -> { synchronized (lock) { System.out.println("got lock"); } });
        synchronized (lock) {
            b.start();
            while (b.getState() != Thread.State.BLOCKED) Thread.sleep(1);
            System.out.println(b.getState());
        }
        b.join();
        Thread d = new Thread(() -> { });
        d.setDaemon(true);
        d.setName("renamed");
        d.setPriority(7);
        System.out.println(d.isDaemon() + " " + d.getName() + " " + d.getPriority() + " " + d);
        d.start();
        d.join();
        try {
            d.setDaemon(false);
            System.out.println("allowed once dead");
        } catch (IllegalThreadStateException e) {
            System.out.println("too late");
        }
        try {
            new Thread(() -> { }).setPriority(11);
        } catch (IllegalArgumentException e) {
            System.out.println("bad priority");
        }
        class Sub extends Thread { int n; @Override public void run() { n = 5; } }
        Sub sub = new Sub();
        sub.run();
        sub.n = 0;
        sub.start();
        sub.join();
        System.out.println(sub.n);
        Thread parked = new Thread(() -> java.util.concurrent.locks.LockSupport.park("blocker"));
        parked.start();
        while (parked.getState() != Thread.State.WAITING) Thread.sleep(1);
        System.out.println(java.util.concurrent.locks.LockSupport.getBlocker(parked));
        java.util.concurrent.locks.LockSupport.unpark(parked);
        parked.join();
        System.out.println(parked.getStackTrace().length);
    }
}
