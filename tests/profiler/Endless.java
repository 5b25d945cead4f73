/** Works until a line arrives on standard input: an endless loop within one method, and calls. */
public class Endless {
    static volatile boolean stop;
    static long turns;
    long field;

    static int callee(int n) { return n * 31 + 7; }

    /** Entered once, long before a profile starts. */
    static void hot(Endless e) {
        int x = 0;
        while (!stop) {
            x = callee(x);
            if ((x & 1) == 0) e.field += x;
            turns++;
        }
    }

    public static void main(String[] args) throws Exception {
        Thread worker = new Thread(() -> hot(new Endless()), "worker");
        worker.start();
        while (turns < 1000000) Thread.sleep(1);
        System.out.println("ready");
        System.in.read();
        stop = true;
        worker.join();
        System.out.println("done");
    }
}
