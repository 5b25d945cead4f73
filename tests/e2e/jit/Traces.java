// Positions in hot code: stack traces with lines, through inlined, compiled and interpreted frames, taken by the thread
// itself, by StackWalker, by another thread, and by caller-sensitive methods.
import java.util.Arrays;
import java.util.stream.Collectors;

public class Traces {
    static int limit = 3;

    static int leaf(int x) {
        if (x == limit)
            throw new IllegalArgumentException("x " + x);
        return x * 2;
    }

    static int middle(int x) {
        int y = leaf(x - 1)
              + leaf(x);
        return y;
    }

    int outer(int x) {
        return middle(x) + middle(x + 1);
    }

    interface Op {
        int apply(Traces t, int x);
    }

    static int through(Op op, Traces t, int x) {
        return op.apply(t, x);
    }

    static void show(Throwable e) {
        System.out.println(e);
        for (StackTraceElement s : e.getStackTrace()) System.out.println("    " + s.getMethodName() + ":" + s.getLineNumber());
    }

    static String walked() {
        return StackWalker.getInstance().walk(s -> s.limit(4).map(f -> f.getMethodName() + ":" + f.getLineNumber() + "/" + f.getByteCodeIndex())
            .collect(Collectors.joining(" ")));
    }

    static String walk1() { return walked(); }

    static String walk2(int n) { return n == 0 ? walk1() : walk2(n - 1); }

    static Class<?> caller() {
        return StackWalker.getInstance(StackWalker.Option.RETAIN_CLASS_REFERENCE).getCallerClass();
    }

    static class Other {
        static Class<?> ask() { return caller(); }
    }

    static volatile boolean go, done;
    static final Object lock = new Object();

    static long waiting(long n) {
        long x = 0;
        for (long i = 0; i < n; i++) x += i ^ x;
        synchronized (lock) {
            done = true;
            while (!go) {
                try {
                    lock.wait();
                } catch (InterruptedException e) {
                    return -1;
                }
            }
        }
        return x;
    }

    public static void main(String[] args) throws Exception {
        Traces t = new Traces();
        limit = -5;
        long sum = 0;
        for (int i = 0; i < 60_000; i++) sum += through(Traces::outer, t, i & 1023) + through((a, b) -> a.outer(b) + 1, t, i & 511);
        System.out.println(sum);
        limit = 77;
        for (int k = 0; k < 3; k++) {
            try {
                through(Traces::outer, t, 77 - k);
            } catch (IllegalArgumentException e) {
                show(e);
            }
            try {
                through((a, b) -> a.outer(b) + 1, t, 78 - k);
            } catch (IllegalArgumentException e) {
                show(e);
            }
        }
        String last = "";
        for (int i = 0; i < 3000; i++) last = walk2(2);
        System.out.println(last);
        Class<?> c = null;
        for (int i = 0; i < 3000; i++) c = Other.ask();
        System.out.println(c);
        Thread w = new Thread(() -> System.out.println(waiting(300_000)));
        w.start();
        while (!done) Thread.sleep(1);
        StackTraceElement[] frames;
        do frames = w.getStackTrace(); while (!frames[0].getMethodName().startsWith("wait"));
        System.out.println(Arrays.stream(frames).filter(f -> f.getClassName().equals("Traces")).map(f -> f.getMethodName() + ":" + f.getLineNumber())
            .collect(Collectors.joining(" ")));
        synchronized (lock) {
            go = true;
            lock.notifyAll();
        }
        w.join();
    }
}
