import java.lang.invoke.*;
import java.lang.reflect.Array;
import java.util.*;
import java.util.concurrent.atomic.*;

/**
 * Stores young objects into old ones by every kind of store that Java code has: Stores ROUNDS. With young collections
 * in between, a store without a write barrier loses the object. Prints "stores fine".
 */
public final class Stores {
    static final int WIDTH = 40, LONG = 40_000;

    record Probe(int number, int[] padding) {
        Probe(int number) { this(number, new int[number % 50]); }
    }

    static final class Holder implements Cloneable {
        Object field;
        volatile Object ordered;
        Object byHandle;
        Holder copy() throws CloneNotSupportedException { return (Holder) clone(); }
    }

    static Object still;
    static volatile Object stillOrdered;
    static final VarHandle FIELD, ELEMENT;

    static {
        try {
            MethodHandles.Lookup l = MethodHandles.lookup();
            FIELD = l.findVarHandle(Holder.class, "byHandle", Object.class);
            ELEMENT = MethodHandles.arrayElementVarHandle(Object[].class);
        } catch (ReflectiveOperationException e) {
            throw new ExceptionInInitializerError(e);
        }
    }

    private final Holder holder = new Holder();
    private final Object[] elements = new Object[WIDTH], many = new Object[LONG], from = new Object[LONG];
    private final Probe[] probes = new Probe[WIDTH];
    private final AtomicReference<Object> atomic = new AtomicReference<>();
    private final AtomicReferenceArray<Object> atomics = new AtomicReferenceArray<>(WIDTH);
    private final Map<Object, Object> map = new HashMap<>();
    private final MutableCallSite site = new MutableCallSite(MethodHandles.constant(Object.class, "none"));
    private final MethodHandle invoker = site.dynamicInvoker();
    private Object[] clones;
    private Holder cloned;
    private int next;

    private static void check(Object found, int number) {
        if (!(found instanceof Probe p) || p.number != number || p.padding.length != number % 50)
            throw new AssertionError(number + ": " + found);
    }

    private void putAll(int n) throws Throwable {
        holder.field = new Probe(n);
        holder.ordered = new Probe(n + 1);
        still = new Probe(n + 2);
        stillOrdered = new Probe(n + 3);
        elements[n % WIDTH] = new Probe(n + 4);
        many[n * 7919 % LONG] = new Probe(n + 5);
        FIELD.set(holder, new Probe(n + 6));
        ELEMENT.setVolatile(elements, (n + 1) % WIDTH, new Probe(n + 7));
        atomic.set(new Probe(n + 8));
        atomics.setRelease(n % WIDTH, new Probe(n + 9));
        map.put(n % 1000, new Probe(n + 10));
        site.setTarget(MethodHandles.constant(Object.class, new Probe(n + 11)));
        Array.set(elements, (n + 2) % WIDTH, new Probe(n + 12));
        probes[n % WIDTH] = new Probe(n + 13);
    }

    private void checkAll(int n) throws Throwable {
        check(holder.field, n);
        check(holder.ordered, n + 1);
        check(still, n + 2);
        check(stillOrdered, n + 3);
        check(elements[n % WIDTH], n + 4);
        check(many[n * 7919 % LONG], n + 5);
        check(FIELD.get(holder), n + 6);
        check(elements[(n + 1) % WIDTH], n + 7);
        check(atomic.get(), n + 8);
        check(atomics.get(n % WIDTH), n + 9);
        check(map.get(n % 1000), n + 10);
        check((Object) invoker.invoke(), n + 11);
        check(elements[(n + 2) % WIDTH], n + 12);
        check(probes[n % WIDTH], n + 13);
    }

    private void exchangeAll(int n) {
        Object old = FIELD.get(holder);
        if (!FIELD.compareAndSet(holder, old, new Probe(n))) throw new AssertionError("not set");
        check(FIELD.get(holder), n);
        if (FIELD.compareAndExchange(holder, FIELD.get(holder), new Probe(n + 1)) == null) throw new AssertionError();
        check(atomic.getAndSet(new Probe(n + 2)), n - 6);
        atomics.getAndSet(n % WIDTH, new Probe(n + 3));
    }

    private void checkExchanged(int n) {
        check(FIELD.get(holder), n + 1);
        check(atomic.get(), n + 2);
        check(atomics.get(n % WIDTH), n + 3);
    }

    // Copies into old arrays and objects, short and long, with and without checks.
    private void copyAll(int n) throws CloneNotSupportedException {
        Object[] fresh = {new Probe(n), new Probe(n + 1), new Probe(n + 2)};
        System.arraycopy(fresh, 0, elements, n % (WIDTH - 3), 3);
        System.arraycopy(fresh, 0, probes, n % (WIDTH - 3), 3);
        if (n % 100 == 18) {
            from[n % LONG] = new Probe(n + 3);
            System.arraycopy(from, 0, many, 0, LONG);
            check(many[n % LONG], n + 3);
        }
        clones = fresh.clone();
        cloned = holder.copy();
        Object[] extended = Arrays.copyOf(fresh, 5), part = Arrays.copyOfRange(fresh, 1, 3);
        young();
        for (int i = 0; i < 3; i++) {
            check(elements[n % (WIDTH - 3) + i], n + i);
            check(probes[n % (WIDTH - 3) + i], n + i);
            check(clones[i], n + i);
            check(extended[i], n + i);
        }
        check(part[1], n + 2);
        if (cloned.field != holder.field) throw new AssertionError("clone");
    }

    // Garbage, so that collections happen and what they free is used again.
    private void young() {
        Object last = null;
        for (int i = 0; i < 40; i++) last = new Object[] {last, new int[i % 9], new Holder()};
        if (last == null) throw new AssertionError();
    }

    private void round() throws Throwable {
        int n = next;
        next += 20;
        putAll(n);
        young();
        checkAll(n);
        exchangeAll(n + 14);
        young();
        checkExchanged(n + 14);
        copyAll(n + 18);
    }

    public static void main(String[] args) throws Throwable {
        Stores s = new Stores();
        int rounds = Integer.parseInt(args[0]);
        ProcessHandle.current().info().commandLine();
        for (int i = 0; i < rounds; i++) {
            if (i % (rounds / 4 + 1) == 0) System.gc();  // what lives now is old
            s.round();
        }
        System.out.println("stores fine");
    }
}
