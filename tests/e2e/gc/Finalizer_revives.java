// Finalizers: run once, may resurrect the object, exceptions ignored, order of chains unspecified, runFinalization.
import java.util.*;
import java.util.concurrent.*;

@SuppressWarnings("removal")
public class Finalizer_revives {
    static final List<Object> saved = Collections.synchronizedList(new ArrayList<>());
    static final CountDownLatch ended = new CountDownLatch(40);
    static int runs;
    static class Phoenix {
        final int id;
        Phoenix(int id) { this.id = id; }
        @Override protected void finalize() { synchronized (saved) { saved.add(this); runs++; } ended.countDown(); if (id % 3 == 0) throw new IllegalStateException("ignored"); }
    }
    static class Sub extends Phoenix { Sub(int i) { super(i); } @Override protected void finalize() { super.finalize(); } }
    static class Empty { @Override protected void finalize() { } }
    static class Throwing { Throwing() { throw new IllegalArgumentException("half made"); } @Override protected void finalize() { synchronized (saved) { runs += 1000; } } }

    static void make(int n) { for (int i = 0; i < n; i++) { new Phoenix(i); new Sub(i); new Empty(); } }
    static void stir(int n) { if (n > 0) stir(n - 1); }

    public static void main(String[] args) throws Exception {
        make(25);
        for (int i = 0; i < 1000 && ended.getCount() > 0; i++) { stir(50); System.gc(); System.runFinalization(); Thread.sleep(2); }
        System.out.println("enough " + (ended.getCount() == 0));
        int before, kept;
        synchronized (saved) { before = runs; kept = saved.size(); }
        System.out.println(before == kept);
        Set<Integer> ids = new TreeSet<>();
        synchronized (saved) { for (Object o : saved) ids.add(((Phoenix) o).id % 3); saved.clear(); }
        System.out.println(ids);
        // resurrected objects are not finalized again
        for (int i = 0; i < 5; i++) { stir(50); System.gc(); System.runFinalization(); }
        synchronized (saved) { System.out.println(runs <= 50); }
        try { new Throwing(); } catch (IllegalArgumentException e) { System.out.println(e.getMessage()); }
    }
}
