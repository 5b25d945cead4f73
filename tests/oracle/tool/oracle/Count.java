package oracle;

import java.io.*;
import java.util.*;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.*;
import jdk.internal.access.SharedSecrets;

/**
 * Counters for rewritten classes.
 *
 * The caller of a method is found in one of two modes, so that each can check the other:
 *
 * <p>shadow: before an invoke instruction, the caller stores the number of that site (and the
 * receiver) in a slot of its thread; the callee takes it at its entry. In between, the only
 * application code that can run is a static initialiser, which saves and restores the slot. A slot
 * that was not meant for this callee (because the site reached library code, which called back) is
 * recognised: static, special and constructor sites name their target; virtual ones must agree in
 * name, descriptor and identity of the receiver. A site that can only reach library code clears the
 * slot. A slot left by a call that never arrived (null receiver, failed initialisation) cannot match a
 * later callee: no method has a null receiver, and the static methods of a class that failed to
 * initialise never run.
 *
 * <p>walk: the callee reads its caller's frame with StackWalker and translates the bytecode index of
 * the rewritten method into that of the original. "collapse" is the same without hidden frames, so
 * that a lambda's body has the caller of the functional interface as its caller.
 *
 * <p>Counts are written after the application's shutdown hooks have run.
 */
public final class Count {
    private static final class Slot {
        int site = NONE;
        Object receiver;
    }

    private static final class Saved {
        final int site;
        final Object receiver;

        Saved(Slot slot) {
            site = slot.site;
            receiver = slot.receiver;
        }
    }

    private static final int NONE = -1, BY_RECEIVER = -1;
    private static final int OTHER = 0x7fffffff, VM = 0x7ffffffe;

    private static final ThreadLocal<Slot> slots = ThreadLocal.withInitial(Slot::new);
    private static final List<String> methods = new ArrayList<>();
    private static final List<String> methodSelectors = new ArrayList<>();
    private static final List<String> siteCallers = new ArrayList<>();
    private static final List<String> siteSelectors = new ArrayList<>();
    private static final List<int[]> sites = new ArrayList<>();  // original bci, target
    private static final Map<String, Integer> siteByFrame = new HashMap<>();
    private static final AtomicLongArray entries;
    private static final ConcurrentHashMap<Long, AtomicLong> edges = new ConcurrentHashMap<>();
    private static final StackWalker walker;

    static {
        readTable();
        entries = new AtomicLongArray(methods.size());
        switch (System.getProperty("oracle.mode", "shadow")) {
            case "walk": walker = StackWalker.getInstance(StackWalker.Option.SHOW_HIDDEN_FRAMES); break;
            case "collapse": walker = StackWalker.getInstance(StackWalker.Option.SHOW_REFLECT_FRAMES); break;
            default: walker = null;
        }
        // Slot 0 is the console, 1 the application's hooks, 2 files to delete: 9 runs after all of them.
        SharedSecrets.getJavaLangAccess().registerShutdownHook(9, false, Count::write);
    }

    private Count() { }

    private static void readTable() {
        try (BufferedReader in = new BufferedReader(new InputStreamReader(
                ClassLoader.getSystemResourceAsStream("oracle.table"), "UTF-8"))) {
            for (String line; (line = in.readLine()) != null; ) {
                String[] f = line.split(" ");
                if (f[0].equals("M")) {
                    methods.add(f[1]);
                    methodSelectors.add(f[2]);
                } else {
                    siteByFrame.put(f[1] + " " + f[3], sites.size());
                    siteCallers.add(f[1]);
                    sites.add(new int[]{Integer.parseInt(f[2]), Integer.parseInt(f[4])});
                    siteSelectors.add(f[5]);
                }
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** A call that may enter the known method of site s, but no other application method. */
    public static void site(int s) {
        Slot slot = slots.get();
        slot.site = s;
        slot.receiver = null;
    }

    /** A call that selects its target by the receiver. */
    public static void site(Object receiver, int s) {
        Slot slot = slots.get();
        slot.site = s;
        slot.receiver = receiver;
    }

    /** A call that enters only library code. */
    public static void library() {
        Slot slot = slots.get();
        slot.site = NONE;
        slot.receiver = null;
    }

    /** Entry of a static method or a constructor. */
    public static void enter(int m) {
        count(m, walker == null ? take(m, null) : walk());
    }

    /** Entry of an instance method. */
    public static void enter(Object self, int m) {
        count(m, walker == null ? take(m, self) : walk());
    }

    /** Entry of a static initialiser, which the VM calls. Its result must be passed to leaveInitializer. */
    public static Object enterInitializer(int m) {
        Saved saved = new Saved(slots.get());
        count(m, VM);
        return saved;
    }

    public static void leaveInitializer(Object saved) {
        Slot slot = slots.get();
        slot.site = ((Saved) saved).site;
        slot.receiver = ((Saved) saved).receiver;
    }

    private static int take(int m, Object self) {
        Slot slot = slots.get();
        int s = slot.site;
        Object receiver = slot.receiver;
        slot.site = NONE;
        slot.receiver = null;
        if (s == NONE) return OTHER;
        int target = sites.get(s)[1];
        boolean meant = target == BY_RECEIVER
            ? receiver == self && self != null && siteSelectors.get(s).equals(methodSelectors.get(m)) : target == m;
        return meant ? s : OTHER;
    }

    private static int walk() {
        StackWalker.StackFrame caller = walker.walk(frames -> frames
            .dropWhile(f -> f.getClassName().startsWith("oracle.")).skip(1).findFirst()).orElse(null);
        if (caller == null) return OTHER;
        Integer s = siteByFrame.get(caller.getClassName().replace('.', '/') + "." + caller.getMethodName()
            + caller.getDescriptor() + " " + caller.getByteCodeIndex());
        return s == null ? OTHER : s;
    }

    private static void count(int m, int from) {
        entries.incrementAndGet(m);
        edges.computeIfAbsent((long) from << 32 | m, k -> new AtomicLong()).incrementAndGet();
    }

    private static void write() {
        TreeSet<String> lines = new TreeSet<>();
        for (int m = 0; m < methods.size(); m++) {
            if (entries.get(m) > 0) lines.add("method " + methods.get(m) + " " + entries.get(m));
        }
        edges.forEach((key, n) -> {
            int from = (int) (key >>> 32);
            String caller = from == OTHER ? "<other> -1" : from == VM ? "<vm> -1"
                : siteCallers.get(from) + " " + sites.get(from)[0];
            lines.add("edge " + caller + " " + methods.get((int) (long) key) + " " + n);
        });
        try (PrintWriter out = new PrintWriter(System.getProperty("oracle.out"), "UTF-8")) {
            for (String line : lines) out.print(line + "\n");
        } catch (IOException e) {
            System.err.println("oracle: " + e);
        }
    }
}
