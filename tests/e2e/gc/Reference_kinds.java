// Weak, soft and phantom references: collections clear and enqueue most of many weakly reachable objects, and never
// strongly reachable ones. Counts are tolerant, because a conservative collector may keep a few.
import java.lang.ref.*;
import java.util.*;

public class Reference_kinds {
    static final int N = 400;
    static final ReferenceQueue<Object> queue = new ReferenceQueue<>();

    static List<Reference<Object>> make(int kind) {
        List<Reference<Object>> l = new ArrayList<>();
        for (int i = 0; i < N; i++) {
            Object o = new int[20];
            l.add(kind == 0 ? new WeakReference<>(o, queue) : kind == 1 ? new PhantomReference<>(o, queue) : new SoftReference<>(o, queue));
        }
        return l;
    }

    static int fill(int n) { return n == 0 ? 0 : new long[n % 7 + 1].length + fill(n - 1); }

    static int collectUntil(int wanted) throws Exception {
        int got = 0;
        for (int round = 0; round < 1000 && got < wanted; round++) {
            fill(200);
            System.gc();
            Reference<?> r;
            while ((r = queue.remove(10)) != null) got++;
        }
        return got;
    }

    public static void main(String[] args) throws Exception {
        List<Reference<Object>> weak = make(0);
        int enqueued = collectUntil(N * 9 / 10);
        int cleared = 0;
        for (Reference<Object> r : weak) if (r.get() == null) cleared++;
        while (enqueued < cleared && queue.remove(20000) != null) enqueued++;  // the Reference Handler may lag
        System.out.println("weak cleared " + (cleared >= N * 9 / 10) + " enqueued " + (enqueued >= N * 9 / 10) + " agree " + (enqueued == cleared));
        List<Reference<Object>> phantom = make(1);
        System.out.println("phantom get " + phantom.get(0).get() + " enqueued " + (collectUntil(N * 9 / 10) >= N * 9 / 10));
        Reference.reachabilityFence(phantom);
        List<Reference<Object>> soft = make(2);
        System.gc();
        int kept = 0;
        for (Reference<Object> r : soft) if (r.get() != null) kept++;
        System.out.println("soft kept while memory is free " + (kept == N));
        Object strong = new Object();
        ReferenceQueue<Object> own = new ReferenceQueue<>();  // late references may still reach the other queue
        WeakReference<Object> w = new WeakReference<>(strong, own);
        for (int i = 0; i < 3; i++) System.gc();
        System.out.println((w.get() == strong) + " " + w.refersTo(strong) + " " + w.isEnqueued());
        w.clear();
        System.out.println(w.get() + " " + w.enqueue() + " " + (own.remove(1000) == w) + " " + w.enqueue());
        Reference.reachabilityFence(strong);
        System.out.println(own.poll());
    }
}
