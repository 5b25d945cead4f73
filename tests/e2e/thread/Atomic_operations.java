// Atomic classes, field updaters, adders and accumulators, volatile publication.
import java.util.concurrent.atomic.*;

public class Atomic_operations {
    volatile int vi;
    volatile long vl;
    volatile String vs = "a";
    static volatile boolean ready;
    static int payload;

    public static void main(String[] args) throws Exception {
        AtomicInteger i = new AtomicInteger(5);
        System.out.println(i.getAndIncrement() + " " + i.incrementAndGet() + " " + i.addAndGet(10) + " " + i.compareAndSet(17, 1) + " " + i.compareAndSet(17, 2) + " " + i.getAndUpdate(x -> x * 3) + " " + i.accumulateAndGet(4, Math::max) + " " + i.getAndSet(9) + " " + i + " " + i.weakCompareAndSetPlain(9, 10) + " " + i.compareAndExchange(10, 11));
        AtomicLong l = new AtomicLong(Long.MAX_VALUE);
        System.out.println(l.incrementAndGet() + " " + l.getAndAdd(-5) + " " + l.updateAndGet(x -> x >>> 1));
        AtomicReference<String> r = new AtomicReference<>("x");
        System.out.println(r.compareAndSet("x", "y") + " " + r.getAndSet(null) + " " + r.get() + " " + r.accumulateAndGet("z", (p, q) -> p + q));
        AtomicIntegerArray a = new AtomicIntegerArray(4);
        a.set(2, 7);
        System.out.println(a.incrementAndGet(2) + " " + a + " " + a.compareAndSet(0, 0, 4) + " " + a.length());
        AtomicReferenceArray<String> ra = new AtomicReferenceArray<>(new String[]{"p", "q"});
        System.out.println(ra.getAndSet(1, "r") + ra);
        AtomicBoolean b = new AtomicBoolean();
        System.out.println(b.getAndSet(true) + " " + b.compareAndSet(false, true) + " " + b);
        AtomicStampedReference<String> st = new AtomicStampedReference<>("s", 1);
        int[] h = new int[1];
        System.out.println(st.compareAndSet("s", "t", 1, 2) + " " + st.get(h) + h[0] + " " + st.compareAndSet("t", "u", 1, 3));
        AtomicMarkableReference<String> mk = new AtomicMarkableReference<>("m", false);
        System.out.println(mk.attemptMark("m", true) + " " + mk.isMarked());
        Atomic_operations o = new Atomic_operations();
        AtomicIntegerFieldUpdater<Atomic_operations> iu = AtomicIntegerFieldUpdater.newUpdater(Atomic_operations.class, "vi");
        AtomicLongFieldUpdater<Atomic_operations> lu = AtomicLongFieldUpdater.newUpdater(Atomic_operations.class, "vl");
        AtomicReferenceFieldUpdater<Atomic_operations, String> su = AtomicReferenceFieldUpdater.newUpdater(Atomic_operations.class, String.class, "vs");
        System.out.println(iu.addAndGet(o, 3) + " " + lu.decrementAndGet(o) + " " + su.compareAndSet(o, "a", "b") + " " + o.vs);
        LongAdder add = new LongAdder();
        LongAccumulator max = new LongAccumulator(Long::max, Long.MIN_VALUE);
        DoubleAdder da = new DoubleAdder();
        AtomicInteger shared = new AtomicInteger();
        Thread[] ts = new Thread[4];
        for (int t = 0; t < 4; t++) {
            int k = t;
            ts[t] = new Thread(() -> { for (int n = 0; n < 2000; n++) { add.increment(); max.accumulate(k * 10000 + n); da.add(0.5); iu.incrementAndGet(o); shared.getAndUpdate(x -> x + 2); } });
            ts[t].start();
        }
        for (Thread t : ts) t.join();
        System.out.println(add.sumThenReset() + " " + add + " " + max.get() + " " + da.sum() + " " + o.vi + " " + shared);
        Thread reader = new Thread(() -> { while (!ready) Thread.onSpinWait(); System.out.println("saw " + payload); });
        reader.start();
        payload = 42;
        ready = true;
        reader.join();
        try {
            AtomicIntegerFieldUpdater.newUpdater(Atomic_operations.class, "vl");
        } catch (IllegalArgumentException e) {
            System.out.println(e.getMessage());
        }
    }
}
