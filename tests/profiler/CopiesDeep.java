/**
 * Deep recursion. With a small interval a sample begins at every level or every few levels, so frames below were
 * already left for samples. Recursion of one method and of several, of synchronized methods, with exceptions that
 * unwind all levels or half of them, with loops at the bottom and at each level, and to the end of the stack.
 */
public final class CopiesDeep {
    private interface Step {
        int go(int n);
    }

    private int held;
    private static int sum;

    private static int down(int n) {
        return n == 0 ? sum++ : down(n - 1) + 1;
    }

    private static int even(int n) {
        return n == 0 ? sum : odd(n - 1) + 1;
    }

    private static int odd(int n) {
        return n == 0 ? -sum : even(n - 1) ^ 1;
    }

    // Both kinds of step through an interface, with wide values live across the call.
    private static int through(Step step, int n, long l, double d) {
        if (n == 0) return (int) l;
        int result = n % 2 == 0 ? step.go(n) : through(step, n - 1, l + n, d + 1);
        return result + (int) (l % 5) + (int) d % 3;
    }

    private synchronized int locked(int n) {
        held++;
        try {
            return n == 0 ? held : locked(n - 1) + held;
        } finally {
            held--;
        }
    }

    private int entered(int n) {
        synchronized (this) {
            return n == 0 ? held++ : entered(n - 1) + held;
        }
    }

    private static int looping(int n) {
        int s = n;
        for (int i = 0; i < n % 4; i++) s += i ^ sum;
        s += n == 0 ? 0 : looping(n - 1);
        for (int i = 0; i < 3; i++) s ^= i + n;
        return s;
    }

    private static int throwing(int n) {
        if (n == 0) throw new IllegalStateException("bottom");
        return throwing(n - 1) + 1;
    }

    private static int catching(int n, int half) {
        try {
            if (n == 0) throw new IllegalArgumentException();
            return catching(n - 1, half) + 1;
        } catch (IllegalArgumentException e) {
            if (n != half) throw e;
            return n;
        } finally {
            sum += n & 1;
        }
    }

    private static int deepest;

    private static int endless(int n) {
        deepest = n;
        return endless(n + 1) + 1;
    }

    /** The depth reached depends on frame sizes, so none of it is counted. */
    private static boolean overflows() {
        try {
            endless(0);
            return false;
        } catch (StackOverflowError e) {
            return deepest > 1000;
        }
    }

    private static final class Halves implements Step {
        @Override
        public int go(int n) {
            return through(this, n / 2, n, 0.5);
        }
    }

    private static int work(int depth) {
        CopiesDeep deep = new CopiesDeep();
        int result = down(depth) + even(depth) + odd(depth) + through(new Halves(), depth, 1, 2) + deep.locked(depth) + deep.entered(depth)
            + looping(depth) + catching(depth, depth / 2);
        try {
            result += throwing(depth);
        } catch (IllegalStateException e) {
            result ^= e.getMessage().length();
        }
        return result;
    }

    public static void main(String[] args) {
        int result = 0;
        for (int i = 0; i < 60; i++) result += work(i);
        for (int depth = 500; depth <= 2500; depth += 500) result += work(depth);
        if (args.length > 0) System.out.println(overflows());
        System.out.println(result + " " + sum);
    }
}
