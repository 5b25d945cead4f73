import java.lang.ref.*;
import java.util.*;
import java.util.concurrent.*;

/**
 * Many threads allocate, and change maps and lists that all of them share and that live long: Storm THREADS ROUNDS.
 * Weak references, cleaners and weak maps are used on the side. Prints "storm fine".
 */
public final class Storm {
    private static final int SLOTS = 5000;
    private static final Object[] shared = new Object[SLOTS];
    private static final ConcurrentHashMap<Integer, long[]> map = new ConcurrentHashMap<>();
    private static final Map<Object, String> weak = Collections.synchronizedMap(new WeakHashMap<>());
    private static final Cleaner cleaner = Cleaner.create();

    private static final class Cell {
        final int key;
        final Cell previous;
        final String text;
        Cell(int key, Cell previous) {
            this.key = key;
            this.previous = previous;
            text = "cell " + key;
        }
        void check() {
            if (!text.equals("cell " + key)) throw new AssertionError(text + " of " + key);
        }
    }

    private static void run(int seed, int rounds) {
        Random random = new Random(seed);
        Deque<Cell> own = new ArrayDeque<>();
        WeakReference<Object> reference = new WeakReference<>(new Object());
        for (int i = 0; i < rounds; i++) {
            int slot = random.nextInt(SLOTS), key = random.nextInt(2000);
            synchronized (shared) {
                Cell old = (Cell) shared[slot];
                if (old != null) old.check();
                shared[slot] = new Cell(i, old == null || i % 5 == 0 ? null : new Cell(old.key, null));
            }
            long[] numbers = map.computeIfAbsent(key, k -> new long[] {k, ~k});
            if (numbers[0] != key || numbers[1] != ~key) throw new AssertionError("numbers of " + key);
            if (i % 3 == 0) map.replace(key, new long[] {key, ~key});
            own.addLast(new Cell(i, i % 20 == 0 ? null : own.peekLast()));
            if (own.size() > 100) own.removeFirst().check();
            if (i % 50 == 0) {
                Object thing = new Object();
                weak.put(thing, "thing " + i);
                cleaner.register(thing, () -> { });
                if (reference.get() == null || i % 500 == 0) reference = new WeakReference<>(new byte[random.nextInt(5000)]);
                if (!weak.get(thing).equals("thing " + i)) throw new AssertionError("weak map");
            }
        }
    }

    public static void main(String[] args) throws Exception {
        int threads = Integer.parseInt(args[0]), rounds = Integer.parseInt(args[1]);
        ExecutorService pool = Executors.newFixedThreadPool(threads);
        List<Future<?>> all = new ArrayList<>();
        for (int t = 0; t < threads; t++) {
            int seed = t;
            all.add(pool.submit(() -> run(seed, rounds)));
        }
        for (Future<?> f : all) f.get();
        pool.shutdown();
        for (Object o : shared)
            for (Cell c = (Cell) o; c != null; c = c.previous) c.check();
        System.out.println("storm fine");
    }
}
