// Waiting for a class that another thread initialises: thread state, no wake-up by interrupts; recursion is allowed.
import java.util.concurrent.*;

public class Init_waiting {
    static final CountDownLatch inside = new CountDownLatch(1), finish = new CountDownLatch(1);
    static class Slow {
        static int v = 1;
        static {
            v = recurse();
            inside.countDown();
            try { finish.await(); } catch (InterruptedException e) { throw new Error(e); }
            v *= 10;
        }
        static int recurse() { return v + new Slow().n; }
        int n = v + 3;
    }
    static class Sub extends Slow { static int w = v + 1; }

    public static void main(String[] args) throws Exception {
        Thread first = new Thread(() -> System.out.println("first " + Slow.v));
        first.start();
        inside.await();
        int[] got = new int[2];
        boolean[] flag = new boolean[1];
        Thread second = new Thread(() -> { got[0] = Sub.w; flag[0] = Thread.currentThread().isInterrupted(); });
        second.start();
        second.interrupt();
        second.join(50);
        System.out.println("second alive " + second.isAlive());
        finish.countDown();
        first.join();
        second.join();
        System.out.println(got[0] + " interrupted " + flag[0]);
    }
}
