// Pairs of programs: one has a data race, its twin is the same program repaired. `Races racy` runs all the racy ones,
// `Races fixed` all the twins. In each pair two threads run one() and two(). A spinning gate that only main opens
// starts them, so that only the pair's own actions order them. Everything runs twice: loading classes takes locks, but
// only the first time. A pair's class is named like its variables.
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.*;
import java.util.concurrent.*;
import java.util.concurrent.atomic.*;
import java.util.concurrent.locks.*;

public class Races {
    static boolean fixed;

    static abstract class Pair {
        abstract void one() throws Exception;
        abstract void two() throws Exception;
        void end() throws Exception {}
    }

    interface Body { void run() throws Exception; }

    // ---- ordering-free rendezvous of the two threads ----

    static final VarHandle INT;
    static class Flag { int value; }
    static {
        try {
            INT = MethodHandles.lookup().findVarHandle(Flag.class, "value", int.class);
        } catch (ReflectiveOperationException e) {
            throw new AssertionError(e);
        }
    }
    static void raise(Flag f) { INT.setOpaque(f, 1); }
    static void await(Flag f) { while ((int) INT.getOpaque(f) == 0) Thread.yield(); }

    static class Gate { volatile boolean open; }

    static Thread start(Gate gate, Body body) {
        Thread t = new Thread(() -> {
            while (!gate.open) Thread.yield();
            try {
                body.run();
            } catch (Exception e) {
                throw new AssertionError(e);
            }
        });
        t.start();
        return t;
    }

    static void run(Pair p) throws Exception {
        Gate gate = new Gate();
        Thread one = start(gate, p::one), two = start(gate, p::two);
        gate.open = true;
        one.join();
        two.join();
        p.end();
    }

    static void use(Object o) { if (o == Races.class) System.out.println("never"); }
    static void use(long n) { if (n == 987654321L) System.out.println("hardly"); }

    // ---- variables ----

    static class IntField extends Pair {
        int x;
        void one() { if (fixed) synchronized (this) { x = 1; } else x = 1; }
        void two() { if (fixed) synchronized (this) { x = 2; } else x = 2; }
    }
    static class ReadAndWrite extends Pair {
        int x;
        synchronized void put() { x = 1; }
        synchronized int get() { return x; }
        void one() { if (fixed) put(); else x = 1; }
        void two() { use(fixed ? get() : x); }
    }
    static class StaticField extends Pair {
        static int x;
        static synchronized void increment() { x++; }
        void one() { if (fixed) increment(); else x++; }
        void two() { if (fixed) increment(); else x++; }
    }
    static class LongField extends Pair {
        long x;
        volatile long y;
        void one() { if (fixed) y = 1; else x = 1; }
        void two() { use(fixed ? y : x); }
    }
    static class SmallFields extends Pair {
        byte a, b;
        boolean c;
        short d;
        void one() { a = 1; c = true; if (!fixed) b = 1; }
        void two() { b = 2; d = 3; }
    }
    static class Publication extends Pair {
        int[] plain;
        volatile int[] safe;
        void one() { int[] a = {1}; if (fixed) safe = a; else plain = a; }
        void two() { int[] a = fixed ? safe : plain; if (a != null) use(a[0]); }
    }
    static class IntElements extends Pair {
        final int[] x = new int[4];
        void one() { x[1] = 1; }
        void two() { x[fixed ? 2 : 1] = 2; }
    }
    static class ByteElements extends Pair {
        final byte[] x = new byte[8];
        void one() { x[3]++; }
        void two() { x[fixed ? 4 : 3]++; }
    }
    static class BooleanElements extends Pair {
        final boolean[] x = new boolean[8];
        void one() { x[0] = true; }
        void two() { x[fixed ? 1 : 0] = true; }
    }
    static class CharElements extends Pair {
        final char[] x = new char[8];
        void one() { x[2] = 'a'; }
        void two() { use(x[fixed ? 3 : 2]); }
    }
    static class ShortElements extends Pair {
        final short[] x = new short[8];
        void one() { x[7] = 1; }
        void two() { use(x[fixed ? 6 : 7]); }
    }
    static class LongElements extends Pair {
        final long[] x = new long[2];
        void one() { x[0] = 1; }
        void two() { x[fixed ? 1 : 0] = 1; }
    }
    static class DoubleElements extends Pair {
        final double[] x = new double[2];
        void one() { x[0] = 1; }
        void two() { x[fixed ? 1 : 0] += 1; }
    }
    static class References extends Pair {
        final Object[] x = new Object[2];
        void one() { x[0] = this; }
        void two() { use(x[fixed ? 1 : 0]); }
    }

    // ---- monitors ----

    static class DifferentLocks extends Pair {
        final Object a = new Object(), b = new Object();
        int x;
        void one() { synchronized (a) { x++; } }
        void two() { synchronized (fixed ? a : b) { x++; } }
    }
    static class OneSideOnly extends Pair {
        int x;
        void one() { synchronized (this) { x++; } }
        void two() { if (fixed) synchronized (this) { use(x); } else use(x); }
    }
    static class EnteredAgain extends Pair {
        int x;
        void change() { synchronized (this) { synchronized (this) { use(1); } if (fixed) x++; } if (!fixed) x++; }
        void one() { change(); }
        void two() { change(); }
    }
    static class DoubleChecked extends Pair {
        static class Thing { int a = 1; }
        Thing plain;
        volatile Thing safe;
        Thing get() {
            if (fixed) {
                if (safe == null) synchronized (this) { if (safe == null) safe = new Thing(); }
                return safe;
            }
            if (plain == null) synchronized (this) { if (plain == null) plain = new Thing(); }
            return plain;
        }
        void one() { use(get().a); }
        void two() { use(get().a); }
    }
    static class WaitAndNotify extends Pair {
        boolean ready;
        int x;
        void one() {
            if (fixed) x = 1;
            synchronized (this) { ready = true; notifyAll(); }
            if (!fixed) x = 1;
        }
        void two() throws Exception { synchronized (this) { while (!ready) wait(); } use(x); }
    }
    static class WaitGivesUp extends Pair {
        boolean ready;
        int x;
        synchronized void give() { x = 1; ready = true; notify(); }
        void one() { if (!fixed) x = 1; give(); }
        synchronized void take() throws Exception { x = 2; while (!ready) wait(); use(x); }
        void two() throws Exception { if (!fixed) use(x); take(); }
    }

    // ---- java.util.concurrent ----

    static void with(Lock l, Runnable r) {
        l.lock();
        try {
            r.run();
        } finally {
            l.unlock();
        }
    }
    static class Reentrant extends Pair {
        final Lock l = new ReentrantLock(), other = new ReentrantLock();
        int x;
        void one() { with(l, () -> x++); }
        void two() { with(fixed ? l : other, () -> x++); }
    }
    static class Fair extends Pair {
        final Lock l = new ReentrantLock(true);
        int x;
        void one() { with(l, () -> x++); }
        void two() { if (fixed) with(l, () -> x++); else x++; }
    }
    static class ReadWrite extends Pair {
        final ReadWriteLock l = new ReentrantReadWriteLock();
        int x;
        void one() { with(l.readLock(), () -> use(x)); }
        void two() { if (fixed) with(l.writeLock(), () -> x++); else x++; }
    }
    static class Stamped extends Pair {
        final StampedLock l = new StampedLock();
        int x;
        void one() { long s = l.writeLock(); x++; l.unlockWrite(s); }
        void two() { if (!fixed) { use(x); return; } long s = l.readLock(); use(x); l.unlockRead(s); }
    }
    static class Conditions extends Pair {
        final ReentrantLock l = new ReentrantLock();
        final Condition c = l.newCondition();
        boolean ready;
        int x;
        void one() {
            if (fixed) x = 1;
            with(l, () -> { ready = true; c.signal(); });
            if (!fixed) x = 1;
        }
        void two() throws Exception {
            l.lock();
            while (!ready) c.await();
            l.unlock();
            use(x);
        }
    }
    static class Semaphores extends Pair {
        final Semaphore s = new Semaphore(1);
        int x;
        void change() throws Exception { s.acquire(); if (fixed) x++; s.release(); if (!fixed) x++; }
        void one() throws Exception { change(); }
        void two() throws Exception { change(); }
    }
    static class Latch extends Pair {
        final CountDownLatch l = new CountDownLatch(1);
        int x;
        void one() { if (fixed) x = 1; l.countDown(); if (!fixed) x = 1; }
        void two() throws Exception { l.await(); use(x); }
    }
    static class Barrier extends Pair {
        final CyclicBarrier b = new CyclicBarrier(2);
        int x;
        void one() throws Exception { x = 1; b.await(); }
        void two() throws Exception { if (!fixed) x = 2; b.await(); x = 2; }
    }
    static class Phases extends Pair {
        final Phaser p = new Phaser(2);
        int x;
        void one() { x = 1; p.arriveAndAwaitAdvance(); }
        void two() { if (!fixed) use(x); p.arriveAndAwaitAdvance(); use(x); }
    }
    static class Exchange extends Pair {
        final Exchanger<int[]> e = new Exchanger<>();
        void one() throws Exception { int[] a = {1}; a[0] = 2; use(e.exchange(a)[0]); if (!fixed) a[0] = 3; }
        void two() throws Exception { int[] a = {1}, b = e.exchange(a); b[0] = 5; }
    }
    static class Queue extends Pair {
        final BlockingQueue<int[]> q = new ArrayBlockingQueue<>(1);
        void one() throws Exception { int[] a = {1}; q.put(a); if (!fixed) a[0] = 2; }
        void two() throws Exception { use(q.take()[0]); }
    }
    static class LinkedQueue extends Pair {
        final java.util.Queue<int[]> q = new ConcurrentLinkedQueue<>();
        void one() { int[] a = {1}; q.add(a); if (!fixed) a[0] = 2; }
        void two() { int[] a; while ((a = q.poll()) == null) Thread.yield(); use(a[0]); }
    }
    static class HandOver extends Pair {
        final SynchronousQueue<int[]> q = new SynchronousQueue<>();
        void one() throws Exception { int[] a = {1}; q.put(a); if (!fixed) a[0] = 2; }
        void two() throws Exception { int[] a = q.take(); use(a[0]); }
    }
    static class Maps extends Pair {
        final Map<String, Integer> plain = new HashMap<>(), safe = new ConcurrentHashMap<>();
        void one() { (fixed ? safe : plain).put("a", 1); }
        void two() { use((fixed ? safe : plain).get("a")); }
    }
    static class Lists extends Pair {
        final List<String> plain = new ArrayList<>(), safe = Collections.synchronizedList(new ArrayList<>());
        void one() { (fixed ? safe : plain).add("a"); }
        void two() { (fixed ? safe : plain).add("b"); }
    }
    static class Copies extends Pair {
        final List<String> plain = new LinkedList<>(), safe = new CopyOnWriteArrayList<>();
        void one() { (fixed ? safe : plain).add("a"); }
        void two() { use((fixed ? safe : plain).size()); }
    }
    static class Builders extends Pair {
        final StringBuilder plain = new StringBuilder();
        final StringBuffer safe = new StringBuffer();
        void one() { if (fixed) safe.append('a'); else plain.append('a'); }
        void two() { if (fixed) safe.append('b'); else plain.append('b'); }
    }
    static class Counters extends Pair {
        int plain;
        final AtomicInteger safe = new AtomicInteger();
        void change() { if (fixed) safe.incrementAndGet(); else plain++; }
        void one() { change(); }
        void two() { change(); }
    }
    static class CounterArrays extends Pair {
        final int[] plain = new int[2];
        final AtomicIntegerArray safe = new AtomicIntegerArray(2);
        void change() { if (fixed) safe.incrementAndGet(1); else plain[1]++; }
        void one() { change(); }
        void two() { change(); }
    }
    static class Adders extends Pair {
        long plain;
        final LongAdder safe = new LongAdder();
        void change() { if (fixed) safe.increment(); else plain++; }
        void one() { change(); }
        void two() { change(); }
    }
    static class SpinLock extends Pair {
        final AtomicBoolean held = new AtomicBoolean();
        int x;
        void change() {
            if (fixed) while (!held.compareAndSet(false, true)) Thread.yield();
            x++;
            if (fixed) held.set(false);
        }
        void one() { change(); }
        void two() { change(); }
    }
    static class Locals extends Pair {
        final ThreadLocal<int[]> own = ThreadLocal.withInitial(() -> new int[1]);
        final int[] shared = new int[1];
        void change() { (fixed ? own.get() : shared)[0]++; }
        void one() { change(); }
        void two() { change(); }
    }

    // ---- ordering of single accesses ----

    static class Volatiles extends Pair {
        volatile boolean ready;
        int x;
        void one() { if (fixed) x = 1; ready = true; if (!fixed) x = 1; }
        void two() { while (!ready) Thread.yield(); use(x); }
    }
    static class TooWeak extends Pair {
        final Flag f = new Flag();
        int x;
        void one() { x = 1; if (fixed) INT.setRelease(f, 1); else raise(f); }
        void two() { while ((int) (fixed ? INT.getAcquire(f) : INT.getOpaque(f)) == 0) Thread.yield(); use(x); }
    }
    static class Lazy extends Pair {
        final AtomicReference<int[]> r = new AtomicReference<>();
        void one() { int[] a = {1}; r.lazySet(a); if (!fixed) a[0] = 2; }
        void two() { int[] a; while ((a = r.get()) == null) Thread.yield(); use(a[0]); }
    }
    static class Fences extends Pair {
        final Flag f = new Flag();
        int x;
        void one() { x = 1; if (fixed) VarHandle.releaseFence(); raise(f); }
        void two() { await(f); if (fixed) VarHandle.acquireFence(); use(x); }
    }
    static class Updaters extends Pair {
        static final AtomicIntegerFieldUpdater<Updaters> STATE = AtomicIntegerFieldUpdater.newUpdater(Updaters.class, "state");
        volatile int state;
        int x;
        void one() { if (fixed) x = 1; STATE.set(this, 1); if (!fixed) x = 1; }
        void two() { while (STATE.get(this) == 0) Thread.yield(); use(x); }
    }
    static class FinalFields extends Pair {
        static class Frozen { final int a; Frozen(int a) { this.a = a; } }
        static class Thawed { int a; Thawed(int a) { this.a = a; } }
        final AtomicReference<Object> r = new AtomicReference<>();
        void one() { r.setPlain(fixed ? new Frozen(1) : new Thawed(1)); }
        void two() {
            Object o;
            while ((o = r.getPlain()) == null) Thread.yield();
            use(fixed ? ((Frozen) o).a : ((Thawed) o).a);
        }
    }
    static class FinalArrays extends Pair {
        static class Frozen { final int[] a; Frozen() { a = new int[2]; a[0] = 1; } }
        static class Thawed { int[] a; Thawed() { a = new int[2]; a[0] = 1; } }
        final AtomicReference<Object> r = new AtomicReference<>();
        void one() { r.setPlain(fixed ? new Frozen() : new Thawed()); }
        void two() {
            Object o;
            while ((o = r.getPlain()) == null) Thread.yield();
            use(fixed ? ((Frozen) o).a[0] : ((Thawed) o).a[0]);
        }
    }

    // ---- classes and threads ----

    static class Holders extends Pair {
        static int[] lazy;
        static int round;
        static class A { static int[] table = {1, 2}; }
        static class B { static int[] table = {1, 2}; }
        int get() {
            if (fixed) return (round == 0 ? A.table : B.table)[1];
            if (lazy == null) lazy = new int[2];
            return lazy[1];
        }
        void one() { use(get()); }
        void two() { use(get()); }
        void end() { round++; lazy = null; }
    }
    static class Starts extends Pair {
        int x;
        void one() throws Exception {
            Thread t = new Thread(() -> use(x));
            if (fixed) x = 1;
            t.start();
            if (!fixed) x = 1;
            t.join();
        }
        void two() {}
    }
    static class Joins extends Pair {
        int x;
        void one() throws Exception {
            Thread t = new Thread(() -> x = 1);
            t.start();
            if (!fixed) use(x);
            t.join();
            use(x);
        }
        void two() {}
    }
    static class IsAlive extends Pair {
        int x;
        final Flag f = new Flag();
        void one() throws Exception {
            Thread t = new Thread(() -> { x = 1; raise(f); });
            t.start();
            await(f);
            while (fixed && t.isAlive()) Thread.yield();
            use(x);
            t.join();
        }
        void two() {}
    }
    static class Interrupts extends Pair {
        int x;
        void one() throws Exception {
            Thread t = new Thread(() -> {
                try {
                    Thread.sleep(100000);
                } catch (InterruptedException e) {
                    use(x);
                }
            });
            t.start();
            if (fixed) x = 1;
            t.interrupt();
            if (!fixed) x = 1;
            t.join();
        }
        void two() {}
    }
    static class Executors1 extends Pair {
        final ExecutorService e = Executors.newFixedThreadPool(1);
        int x;
        void one() throws Exception { Future<?> f = e.submit(() -> { x = 1; }); if (!fixed) use(x); f.get(); use(x); }
        void two() {}
        void end() { e.shutdown(); }
    }
    static class TwoTasks extends Pair {
        final ExecutorService e = Executors.newFixedThreadPool(2);
        int x;
        void change(CountDownLatch both) {
            both.countDown();
            try {
                both.await();
            } catch (InterruptedException unexpected) {
                throw new AssertionError(unexpected);
            }
            if (fixed) synchronized (this) { x++; } else x++;
        }
        void one() throws Exception {
            CountDownLatch both = new CountDownLatch(2);
            Future<?> a = e.submit(() -> change(both)), b = e.submit(() -> change(both));
            a.get();
            b.get();
            use(x);
        }
        void two() {}
        void end() { e.shutdown(); }
    }
    static class Completions extends Pair {
        int x;
        void one() {
            CompletableFuture<Void> c = CompletableFuture.runAsync(() -> x = 1, r -> new Thread(r).start());
            if (!fixed) use(x);
            c.join();
            use(x);
        }
        void two() {}
    }
    static class ForkJoin extends Pair {
        final ForkJoinPool pool = new ForkJoinPool(2);
        int x;
        void one() {
            ForkJoinTask<?> t = pool.submit(() -> { x = 1; });
            if (!fixed) use(x);
            while (!t.isDone()) Thread.yield();
            use(x);
        }
        void two() {}
        void end() { pool.shutdown(); }
    }

    // ---- reused memory ----

    static class Again extends Pair {
        final Flag done = new Flag();
        int[][] shared = {new int[100], null};
        void one() {
            for (int i = 0; i < 2000; i++) {
                int[] a = fixed ? new int[100] : shared[0];
                a[i % 100] = i;
            }
            raise(done);
        }
        void two() {
            await(done);
            System.gc();
            for (int i = 0; i < 2000; i++) {
                int[] a = fixed ? new int[100] : shared[0];
                a[i % 100] = i;
            }
        }
    }

    static List<Pair> pairs() {
        return List.of(new IntField(), new ReadAndWrite(), new StaticField(), new LongField(), new SmallFields(), new Publication(),
            new IntElements(), new ByteElements(), new BooleanElements(), new CharElements(), new ShortElements(), new LongElements(),
            new DoubleElements(), new References(), new DifferentLocks(), new OneSideOnly(), new EnteredAgain(), new DoubleChecked(),
            new WaitAndNotify(), new WaitGivesUp(), new Reentrant(), new Fair(), new ReadWrite(), new Stamped(), new Conditions(),
            new Semaphores(), new Latch(), new Barrier(), new Phases(), new Exchange(), new Queue(), new LinkedQueue(), new HandOver(),
            new Maps(), new Lists(), new Copies(), new Builders(), new Counters(), new CounterArrays(), new Adders(), new SpinLock(),
            new Locals(), new Volatiles(), new TooWeak(), new Lazy(), new Fences(), new Updaters(), new FinalFields(),
            new FinalArrays(), new Holders(), new Starts(), new Joins(), new IsAlive(), new Interrupts(), new Executors1(),
            new TwoTasks(), new Completions(), new ForkJoin(), new Again());
    }

    public static void main(String[] args) throws Exception {
        fixed = args[0].equals("fixed");
        StringBuilder names = new StringBuilder();
        for (int round = 0; round < 2; round++)
            for (Pair p : pairs()) {
                run(p);
                if (round == 0) names.append(p.getClass().getSimpleName()).append(' ');
            }
        System.out.println(names.toString().trim());
    }
}
