import java.io.RandomAccessFile;
import java.nio.MappedByteBuffer;
import java.nio.channels.FileChannel;
import java.util.concurrent.locks.LockSupport;

// Programs whose context switches and page faults are known (tests/run/counters.py).
//   switches N    two threads wake each other N times, and park in between: each of them waits about N times
//   faults M      touches M fresh pages of memory, one after the other, in Counters.touch
//   spin MS       computes for that time
class Counters {
    static final int PAGE = 4096;
    static volatile int turn;

    static void pingPong(int times) throws InterruptedException {
        Thread[] pair = new Thread[2];
        for (int i = 0; i < 2; i++) {
            int me = i;
            pair[i] = new Thread(() -> take(pair, me, times), "pair-" + i);
        }
        for (Thread t : pair) t.start();
        for (Thread t : pair) t.join();
    }

    static void take(Thread[] pair, int me, int times) {
        for (int i = 0; i < times; i++) {
            while (turn != me) LockSupport.park();
            turn = 1 - me;
            LockSupport.unpark(pair[1 - me]);
        }
    }

    static void touch(MappedByteBuffer memory, int pages) {
        for (int i = 0; i < pages; i++) memory.put(i * PAGE, (byte) 1);
    }

    static void fault(int pages) throws Exception {
        java.io.File file = java.io.File.createTempFile("counters", null);
        file.deleteOnExit();
        try (RandomAccessFile open = new RandomAccessFile(file, "rw")) {
            MappedByteBuffer memory = open.getChannel().map(FileChannel.MapMode.PRIVATE, 0, (long) pages * PAGE);
            Thread t = new Thread(() -> touch(memory, pages), "toucher");
            t.start();
            t.join();
        }
    }

    static double spin(double seconds) {
        long end = System.nanoTime() + (long) (seconds * 1e9);
        double x = 1;
        while (System.nanoTime() < end)
            for (int i = 0; i < 10000; i++) x = x * 0.999 + 1;
        return x;
    }

    public static void main(String[] args) throws Exception {
        int n = Integer.parseInt(args[1]);
        switch (args[0]) {
            case "switches": pingPong(n); break;
            case "faults": fault(n); break;
            case "spin": spin(n / 1000.0); break;
        }
        System.out.println("done");
    }
}
