import cabernet.Profile;
import java.util.ArrayList;
import java.util.List;
import java.util.TreeMap;

/** Call trees. "own" keeps a separate tree and prints one line for each call path, with its count. */
public class Trees {
    /** The program's own record of its calls; outside the profile's scope. */
    static class TreesOwn {
        static final TreeMap<String, Integer> counts = new TreeMap<>();
        static final ThreadLocal<ArrayList<String>> way = ThreadLocal.withInitial(ArrayList::new);

        static void in(String name) {
            List<String> w = way.get();
            w.add(name);
            synchronized (counts) {
                counts.merge(String.join("/", w), 1, Integer::sum);
            }
        }

        static void out() { way.get().remove(way.get().size() - 1); }

        static void print() { counts.forEach((w, n) -> System.out.println(w + " " + n)); }
    }

    static int leaf(int n) {
        TreesOwn.in("leaf");
        TreesOwn.out();
        return n * 3;
    }

    static int fib(int n) {
        TreesOwn.in("fib");
        try {
            return n < 2 ? leaf(n) : fib(n - 1) + fib(n - 2);
        } finally {
            TreesOwn.out();
        }
    }

    static int even(int n) {
        TreesOwn.in("even");
        int r = n == 0 ? leaf(1) : odd(n - 1);
        TreesOwn.out();
        return r;
    }

    static int odd(int n) {
        TreesOwn.in("odd");
        int r = n == 0 ? leaf(0) : even(n - 1);
        TreesOwn.out();
        return r;
    }

    static int thrower(int n) {
        TreesOwn.in("thrower");
        try {
            if (n % 5 == 0) throw new IllegalStateException();
            return n == 0 ? 0 : thrower(n - 1) + leaf(n);
        } finally {
            TreesOwn.out();
        }
    }

    static int catcher(int n) {
        TreesOwn.in("catcher");
        int r = 0;
        try {
            r = thrower(n);
        } catch (IllegalStateException e) {
            r = leaf(n);
        }
        TreesOwn.out();
        return r;
    }

    static int work(int n) {
        TreesOwn.in("work");
        int r = 0;
        for (int i = 0; i < n; i++) {
            r += leaf(i) + catcher(i % 7);
            if (i % 50 == 0) r += fib(6) + even(i % 9);
        }
        TreesOwn.out();
        return r;
    }

    static void own() throws InterruptedException {
        TreesOwn.in("own");
        Thread[] threads = new Thread[3];
        for (int i = 0; i < threads.length; i++) {
            int n = 200 * (i + 1);
            threads[i] = new Thread(() -> work(n));
            threads[i].start();
        }
        work(400);
        for (Thread t : threads) t.join();
        TreesOwn.out();
    }

    static int dive(int n) { return n == 0 ? 0 : 1 + dive(n - 1); }

    static int late(int n) { return middle(n) + small(n); }

    static int middle(int n) {
        int r = 0;
        for (int i = 0; i < 2000; i++) {
            r += small(i);
            if (i == 1000 && n == 1) Profile.start(analyses + ":message=off:scope=Trees.*:file=" + file);
            if (i == 1500 && n == 2) Profile.stop();
        }
        if (n == 2) Profile.start();
        return r + small(n);
    }

    static int small(int n) { return n + 1; }

    static String file, analyses;

    public static void main(String[] args) throws Exception {
        if (args.length > 1) analyses = args[1];
        if (args.length > 2) file = args[2];
        switch (args[0]) {
            case "own": own(); TreesOwn.print(); break;
            case "dive": System.out.println(dive(100000)); break;
            case "late": System.out.println(late(1) + late(2)); break;
        }
    }
}
