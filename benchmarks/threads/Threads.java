import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;

/** Threads switch|create|parked|echo|compute N: costs of threads. Prints a number and its unit. */
public class Threads {
    static volatile int turn;
    static volatile boolean go;
    static int ran;

    /** Two threads pass a turn to each other by unpark and park: ns per hand-over. */
    static double handOver(int n) throws Exception {
        Thread[] pair = new Thread[2];
        for (int i = 0; i < 2; i++) {
            int me = i;
            pair[i] = new Thread(() -> {
                for (int k = 0; k < n / 2; k++) {
                    while (turn != me) LockSupport.park();
                    turn = 1 - me;
                    LockSupport.unpark(pair[1 - me]);
                }
            });
        }
        long began = System.nanoTime();
        for (Thread t : pair) t.start();
        for (Thread t : pair) t.join();
        return (double) (System.nanoTime() - began) / n;
    }

    /** Threads with hardly any work, eight alive at a time: ns to create, run and join one. */
    static double create(int n) throws Exception {
        Thread[] some = new Thread[8];
        long began = System.nanoTime();
        for (int k = 0; k < n / some.length; k++) {
            for (int i = 0; i < some.length; i++) (some[i] = new Thread(() -> ran++)).start();
            for (Thread t : some) t.join();
        }
        return (double) (System.nanoTime() - began) / n;
    }

    /** Resident memory and page tables that each of n parked threads adds, in KB. */
    static double parked(int n) throws Exception {
        AtomicInteger up = new AtomicInteger();
        Thread[] all = new Thread[n];
        double before = memory();
        for (int i = 0; i < n; i++) {
            all[i] = new Thread(() -> {
                up.incrementAndGet();
                while (!go) LockSupport.park();
            });
            all[i].start();
        }
        while (up.get() < n) Thread.sleep(1);
        double kb = (memory() - before) / n;
        go = true;
        for (Thread t : all) LockSupport.unpark(t);
        for (Thread t : all) t.join();
        return kb;
    }

    /** One byte at a time between the ends of 200 loopback connections, with a blocked thread at each: ns per byte. */
    static double echo(int n) throws Exception {
        int connections = 200, rounds = n / connections / 2;
        Thread[] all = new Thread[2 * connections];
        Socket[] ends = new Socket[2 * connections];
        try (ServerSocket server = new ServerSocket(0, 5, InetAddress.getLoopbackAddress())) {
            for (int i = 0; i < ends.length; i += 2) {
                ends[i] = new Socket(server.getInetAddress(), server.getLocalPort());
                ends[i + 1] = server.accept();
            }
        }
        AtomicInteger failed = new AtomicInteger();
        for (int i = 0; i < all.length; i++) {
            int me = i;
            all[i] = new Thread(() -> {
                try (Socket s = ends[me]) {
                    for (int k = 0; k < rounds; k++) {
                        if ((me & 1) == 0) s.getOutputStream().write(k);
                        if (s.getInputStream().read() != (k & 255)) throw new AssertionError();
                        if ((me & 1) == 1) s.getOutputStream().write(k);
                    }
                } catch (Throwable e) {
                    failed.incrementAndGet();
                }
            });
        }
        long began = System.nanoTime();
        for (Thread t : all) t.start();
        for (Thread t : all) t.join();
        if (failed.get() > 0) throw new AssertionError();
        return (double) (System.nanoTime() - began) / (2 * connections * rounds);
    }

    static double memory() throws Exception {
        double kb = 0;
        for (String line : Files.readAllLines(Path.of("/proc/self/status")))
            if (line.startsWith("VmRSS") || line.startsWith("VmPTE"))
                kb += Double.parseDouble(line.replaceAll("[^0-9]", ""));
        return kb;
    }

    /** Sieves primes: ns per round. */
    static double compute(int n) {
        long began = System.nanoTime();
        int primes = 0;
        for (int k = 0; k < n; k++) {
            boolean[] composite = new boolean[20000];
            for (int i = 2; i < composite.length; i++) {
                if (composite[i]) continue;
                primes++;
                for (int j = 2 * i; j < composite.length; j += i) composite[j] = true;
            }
        }
        if (primes != 2262 * n) throw new AssertionError(primes);
        return (double) (System.nanoTime() - began) / n;
    }

    public static void main(String[] args) throws Exception {
        int n = Integer.parseInt(args[1]);
        switch (args[0]) {
            case "switch":
                handOver(n / 10);
                System.out.println(handOver(n) + " ns");
                break;
            case "create":
                create(n / 10);
                System.out.println(create(n) + " ns");
                break;
            case "parked":
                System.out.println(parked(n) + " KB");
                break;
            case "echo":
                System.out.println(echo(n) + " ns");
                break;
            default:
                compute(n / 10);
                System.out.println(compute(n) + " ns");
        }
    }
}
