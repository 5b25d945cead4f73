// Exceptions that unwind many frames, are caught halfway, rethrown, replaced in finally, thrown by constructors.
public class Unwind_frames {
    static class Stop extends RuntimeException {
        final int at;
        Stop(int at) { super("at " + at, null, false, false); this.at = at; }
        boolean mine(int level) { return at % 7 == level % 7; }
    }
    static class Half {
        final Half inner;
        Half(int n) {
            if (n == 0) throw fresh(n);
            inner = n % 3 == 0 ? make(n - 1) : new Half(n - 1);
        }
        static Half make(int n) { return new Half(n); }
    }
    static Stop fresh(int n) { return new Stop(n); }
    static int finals, caught;
    static int dive(int n, int stop) {
        try {
            if (n == stop) throw fresh(n);
            return dive(n + 1, stop) + 1;
        } catch (Stop s) {
            if (!s.mine(n)) throw s;
            caught++;
            return leaf(n);
        } finally {
            finals += tick();
        }
    }
    static int tick() { return 1; }
    static int leaf(int n) { return n * 2; }
    static int plain(int n) {
        if (n == 0) throw fresh(0);
        return plain(n - 1) + leaf(n);
    }
    static int library(int[] a, int i) { return a[i] + library(a, i + 1); }
    static void replace(int n) {
        try {
            plain(n);
        } finally {
            throw fresh(n + 100);
        }
    }
    public static void main(String[] args) {
        int sum = 0;
        for (int stop = 0; stop < 30; stop++) sum += guarded(stop);
        for (int i = 0; i < 10; i++) {
            try { new Half(i * 2); } catch (Stop s) { sum += leaf(s.at + 1); }
            try { replace(i); } catch (Stop s) { sum += s.at; }
            try { library(new int[i], 0); } catch (ArrayIndexOutOfBoundsException e) { sum += tick(); }
            try { Integer.parseInt("x" + i); } catch (NumberFormatException e) { sum += tick(); }
        }
        System.out.println(sum + " " + finals + " " + caught);
    }
    static int guarded(int stop) {
        try {
            return dive(0, stop) + dive(3, stop + 3);
        } catch (Stop s) {
            return -leaf(s.at);
        }
    }
}
