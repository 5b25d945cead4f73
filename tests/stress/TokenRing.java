import java.util.concurrent.locks.LockSupport;

/** TokenRing THREADS HOPS: threads pass a token around with unpark, and wait for it in park. */
public class TokenRing {
    static volatile int turn;
    static long hops;

    public static void main(String[] args) throws Exception {
        int n = Integer.parseInt(args[0]);
        long total = Long.parseLong(args[1]);
        Thread[] ring = new Thread[n];
        for (int i = 0; i < n; i++) {
            int me = i, next = (i + 1) % n;
            ring[i] = new Thread(() -> {
                for (;;) {
                    int now;
                    while ((now = turn) != me) {
                        if (now < 0) return;
                        LockSupport.park();
                    }
                    if (++hops >= total) break;
                    turn = next;
                    LockSupport.unpark(ring[next]);
                }
                turn = -1;
                for (Thread t : ring) LockSupport.unpark(t);
            });
        }
        for (Thread t : ring) t.start();
        long began = System.nanoTime();
        for (Thread t : ring) t.join();
        System.out.println(n + " threads, " + hops + " hops, " + (System.nanoTime() - began) / total + " ns each");
        if (hops != total) throw new AssertionError();
    }
}
