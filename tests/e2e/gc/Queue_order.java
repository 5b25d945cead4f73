// Reference queues: one enqueueing per reference, explicit or by the collector; refersTo, clear, null queues.
import java.lang.ref.*;
import java.util.*;

public class Queue_order {
    static Object make(int i) { return new int[]{i}; }
    static boolean await(ReferenceQueue<Object> q, int n, Set<Reference<?>> into) throws Exception {
        for (int i = 0; i < 100 && into.size() < n; i++) { System.gc(); Reference<?> r; while ((r = q.remove(10)) != null) into.add(r); }
        return into.size() == n;
    }

    public static void main(String[] args) throws Exception {
        ReferenceQueue<Object> q = new ReferenceQueue<>();
        List<Reference<Object>> refs = new ArrayList<>();
        for (int i = 0; i < 20; i++) refs.add(i % 2 == 0 ? new WeakReference<>(make(i), q) : new PhantomReference<>(make(i), q));
        Object kept = make(-1);
        WeakReference<Object> alive = new WeakReference<>(kept, q);
        Set<Reference<?>> got = new HashSet<>();
        // a stale stack slot may show the last object of each loop: wait for the others only
        for (int i = 0; i < 100 && got.size() < 19; i++) await(q, 19, got);
        System.out.println((got.size() >= 19) + " " + got.contains(alive) + " " + refs.containsAll(got));
        System.out.println(alive.get() == kept && alive.refersTo(kept) && !alive.refersTo(null));
        // a separate queue: the last objects of the loops may still reach the first
        ReferenceQueue<Object> own = new ReferenceQueue<>();
        WeakReference<Object> hand = new WeakReference<>(kept, own);
        System.out.println(hand.enqueue() + " " + hand.enqueue() + " " + hand.get() + " " + hand.refersTo(null) + " " + (own.poll() == hand));
        WeakReference<Object> cleared = new WeakReference<>(kept, own);
        cleared.clear();
        System.out.println(cleared.get() + " " + cleared.enqueue() + " " + (own.poll() == cleared));
        WeakReference<Object> noQueue = new WeakReference<>(kept);
        System.out.println(noQueue.enqueue() + " " + noQueue.get());
        PhantomReference<Object> ph = new PhantomReference<>(kept, own);
        System.out.println(ph.get() + " " + ph.refersTo(kept) + " " + ph.refersTo(null));
        SoftReference<Object> soft = new SoftReference<>(make(3));
        System.gc();
        System.out.println(soft.get() != null);
        System.out.println(own.poll() == null);
        try { q.remove(-1); } catch (IllegalArgumentException e) { System.out.println("negative"); }
        Thread t = new Thread(() -> { try { new ReferenceQueue<Object>().remove(); } catch (InterruptedException e) { System.out.println("interrupted"); } });
        t.start();
        t.interrupt();
        t.join();
        try { ph.getClass().getMethod("clone"); } catch (NoSuchMethodException e) { System.out.println("no clone"); }
        Reference.reachabilityFence(kept);
    }
}
