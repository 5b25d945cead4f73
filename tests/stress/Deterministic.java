import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * Deterministic alone|threads|trace: work whose profile depends on scheduling alone. The threads update shared
 * counters without waiting for each other, so the paths that each takes, and how often, depend on where thread
 * switches happen.
 */
public class Deterministic {
    static int turn, switches, last = -1;
    static final StringBuilder trace = new StringBuilder();

    static void even(int n) {
        turn = turn * 31 + n;
    }

    static void odd(int n) {
        turn ^= n;
    }

    /** Detects that another thread has run in between. */
    static void step(int me, int n) {
        if (last != me) {
            switches++;
            last = me;
            synchronized (trace) {
                trace.append(me).append(':').append(n).append(' ');
            }
        }
        if ((turn & 1) == 0) even(n);
        else odd(n);
    }

    static void work(int me, int steps) {
        Map<Integer, Integer> seen = new HashMap<>();
        for (int i = 0; i < steps; i++) {
            step(me, i);
            seen.merge(turn & 63, 1, Integer::sum);
        }
    }

    public static void main(String[] args) throws Exception {
        if (args[0].equals("alone")) {
            work(0, 3000);
            System.out.println(turn);
            return;
        }
        List<Thread> threads = new ArrayList<>();
        for (int i = 0; i < 5; i++) {
            int me = i;
            threads.add(new Thread(() -> work(me, 2000)));
        }
        for (Thread t : threads) t.start();
        for (Thread t : threads) t.join();
        System.out.println(switches + " " + turn);
        if (args[0].equals("trace")) System.out.println(trace);
    }
}
