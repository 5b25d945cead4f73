import java.util.concurrent.Semaphore;

/** An object of 64 bytes is in one line. Two threads take turns to write one variable, two
 * variables of a line, and variables of different lines. */
public class SharedLines {
    static final int ROUNDS = 500, APART = 32;
    static int one;

    static void writeOne() { one++; }

    static void writeOther(long[] a, int index) { a[index]++; }

    static void writeApart(long[] a, int index) { a[index]++; }

    static void turns(int number, Semaphore own, Semaphore other, long[] near, long[] far) {
        for (int i = 0; i < ROUNDS; i++) {
            own.acquireUninterruptibly();
            writeOne();
            writeOther(near, number * 2);
            writeApart(far, number * APART);
            other.release();
        }
    }

    public static void main(String[] args) throws InterruptedException {
        Semaphore first = new Semaphore(1), second = new Semaphore(0);
        long[] near = new long[6], far = new long[2 * APART];
        Thread t = new Thread(() -> turns(1, second, first, near, far));
        t.start();
        turns(0, first, second, near, far);
        t.join();
        System.out.println(one + near[0] + near[2] + far[0] + far[APART]);
    }
}
