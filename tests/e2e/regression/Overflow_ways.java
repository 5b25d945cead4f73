// vm: -Xmx512m
// timeout: 400
// collections: 200
// Repeated stack overflow on every path through the VM and on stacks of several sizes, with monitors free afterwards.
import java.io.*;
import java.lang.invoke.*;
import java.lang.reflect.*;
import java.util.*;
import java.util.concurrent.Callable;
import java.util.concurrent.atomic.*;
import java.util.function.*;
import java.util.regex.Pattern;
import java.util.stream.Stream;

public class Overflow_ways implements Cloneable {
    interface Way { Object run(int n) throws Throwable; }
    interface Deep { default int down(int n) { return n == 0 ? 0 : down(n - 1) + 1; } }
    static final Map<String, Way> ways = new LinkedHashMap<>();

    // The recursive calls. Each recurses n deep; n < 0 is endless.
    static int plain(int n) { return n == 0 ? 0 : plain(n - 1) + 1; }
    static double wide(int n, long a, double b, Object c, long d) { return n == 0 ? b : wide(n - 1, a + 1, b, c, d) + 1; }
    static synchronized int locked(int n) { return n == 0 ? 0 : locked(n - 1) + 1; }
    static int blocks(int n) { synchronized (new Object()) { synchronized (LOCK) { return n == 0 ? 0 : blocks(n - 1) + 1; } } }
    static final Object LOCK = new Object();
    static int begun, ended;
    static int cleaned(int n) { begun++; try { return n == 0 ? 0 : cleaned(n - 1); } finally { ended++; } }
    static int caught(int n) { try { return n == 0 ? 0 : caught(n - 1); } catch (StackOverflowError e) { throw e; } }
    static int again(int n) { try { return plain(n); } catch (StackOverflowError e) { return plain(n); } }
    static int wrapped(int n) { try { return plain(n); } catch (StackOverflowError e) { StackOverflowError f = new StackOverflowError("from " + (e.getMessage() == null)); f.initCause(e); throw f; } }
    public static Object invoked(int n) throws Throwable {
        if (n == 0) return 0;
        try { return INVOKED.invoke(null, n - 1); } catch (InvocationTargetException e) { throw e.getCause(); }
    }
    static final Method INVOKED = method("invoked");
    static Method method(String name) { try { return Overflow_ways.class.getMethod(name, int.class); } catch (ReflectiveOperationException e) { throw new Error(e); } }
    public static final class Made {
        public Made(int n) throws Throwable {
            if (n == 0) return;
            try { Made.class.getConstructor(int.class).newInstance(n - 1); } catch (InvocationTargetException e) { throw e.getCause(); }
        }
    }
    static int handled(int n) throws Throwable { return n == 0 ? 0 : (int) HANDLE.invokeExact(n - 1) + 1; }
    static final MethodHandle HANDLE;
    static {
        try { HANDLE = MethodHandles.lookup().findStatic(Overflow_ways.class, "handled", MethodType.methodType(int.class, int.class)); }
        catch (ReflectiveOperationException e) { throw new Error(e); }
    }
    static final IntUnaryOperator lambda = n -> n == 0 ? 0 : Overflow_ways.lambda.applyAsInt(n - 1) + 1;
    static int capturing(int n) { IntSupplier s = () -> n == 0 ? 0 : capturing(n - 1) + 1; return s.getAsInt(); }
    static int streamed(int n) { return n == 0 ? 0 : Stream.of(n).mapToInt(i -> streamed(i - 1)).sum() + 1; }
    static Object proxied(int n) {
        Callable<?>[] p = new Callable<?>[1];
        int[] left = {n};
        p[0] = (Callable<?>) Proxy.newProxyInstance(Overflow_ways.class.getClassLoader(), new Class<?>[] {Callable.class},
            (self, m, args) -> left[0]-- == 0 ? 0 : p[0].call());
        try { return p[0].call(); } catch (Exception e) { throw new Error(e); }
    }

    // Objects that contain each other.
    static final class Node implements Serializable, Comparable<Node> {
        Node next;
        @Override public String toString() { return "<" + next + ">"; }
        @Override public int hashCode() { return next == null ? 7 : 31 * next.hashCode(); }
        @Override public boolean equals(Object o) { return o instanceof Node other && (next == null ? other.next == null : next.equals(other.next)); }
        @Override public int compareTo(Node o) { return next == null ? o.next == null ? 0 : -1 : o.next == null ? 1 : next.compareTo(o.next); }
        Node copy() { Node c = new Node(); c.next = next == null ? null : next.copy(); return c; }
    }
    static Node chain(int n) { Node first = new Node(); if (n < 0) n = 1000000; for (Node c = first; n > 0; n--) c = c.next = new Node(); return first; }
    static List<Object> nested(int n) { List<Object> l = new ArrayList<>(); if (n < 0) n = 100000; for (; n > 0; n--) { List<Object> outer = new ArrayList<>(); outer.add(l); l = outer; } return l; }
    static Map<Object, Object> itself(int n) { Map<Object, Object> m = new HashMap<>(); m.put("key", n < 0 ? List.of(m) : 1); return m; }
    Overflow_ways child;
    @Override public Overflow_ways clone() { try { Overflow_ways c = (Overflow_ways) super.clone(); if (child != null) c.child = child.clone(); return c; } catch (CloneNotSupportedException e) { throw new Error(e); } }
    static Overflow_ways tree(int n) { Overflow_ways t = new Overflow_ways(); if (n < 0) n = 1000000; for (; n > 0; n--) { Overflow_ways up = new Overflow_ways(); up.child = t; t = up; } return t; }

    // Through the VM and back: a loader that requests the next class from itself.
    static final class Asking extends ClassLoader {
        final int n;
        Asking(int n) { super(Overflow_ways.class.getClassLoader()); this.n = n; }
        @Override protected Class<?> loadClass(String name, boolean resolve) throws ClassNotFoundException {
            if (!name.startsWith("none.C")) return super.loadClass(name, resolve);
            int i = Integer.parseInt(name.substring(6));
            if (i == n) throw new ClassNotFoundException("none left");
            return Class.forName("none.C" + (i + 1), false, this);
        }
    }
    // Each initialiser creates a loader, whose class of the same name is a different one, and initialises that.
    public static final class Initialised {
        static { Initialising.next(); }
    }
    public static final class Initialising extends ClassLoader {
        static final byte[] bytes = bytes("Overflow_ways$Initialised.class");
        static final ThreadLocal<Integer> left = ThreadLocal.withInitial(() -> 0);
        Initialising() { super(Overflow_ways.class.getClassLoader()); }
        @Override protected Class<?> loadClass(String name, boolean resolve) throws ClassNotFoundException {
            if (!name.endsWith("$Initialised")) return super.loadClass(name, resolve);
            Class<?> c = findLoadedClass(name);
            return c != null ? c : defineClass(name, bytes, 0, bytes.length);
        }
        public static void next() {
            int n = left.get();
            if (n == 0) return;
            left.set(n - 1);
            try { Class.forName("Overflow_ways$Initialised", true, new Initialising()); } catch (ClassNotFoundException e) { throw new Error(e); }
        }
    }
    static byte[] bytes(String name) { try (InputStream in = Overflow_ways.class.getResourceAsStream(name)) { return in.readAllBytes(); } catch (IOException e) { throw new Error(e); } }

    // At every depth, an operation that the VM does for the program.
    static int allocating(int n) { int[][] a = new int[2][3]; Object[] o = {n, (long) n, a.clone()}; return n == 0 ? 0 : allocating(n - 1) + o.length; }
    static int failing(int n) {
        if (n % 16 != 0) return failing(n - 1) + 1;
        try { Object o = n == 0 ? null : LOCK; o.hashCode(); Object[] a = new Integer[1]; a[0] = "no"; }
        catch (ArrayStoreException e) { }  // a frame that still shows it retains a trace of a thousand frames
        catch (NullPointerException e) { return 0; }
        return failing(n - 1) + 1;
    }
    static int copying(int n) { byte[] from = new byte[100], to = new byte[100]; System.arraycopy(from, 1, to, 2, 90); return n == 0 ? 0 : copying(n - 1) + "text".concat("more").intern().length() + to[5]; }
    static int tracing(int n) { return n == 0 ? Thread.currentThread().getStackTrace().length > 0 ? 0 : 1 : tracing(n - 1) + 1; }

    static {
        ways.put("plain", Overflow_ways::plain);
        ways.put("wide", n -> wide(n, 1, 2, null, 4));
        ways.put("default method", n -> new Deep() { }.down(n));
        ways.put("synchronized", Overflow_ways::locked);
        ways.put("synchronized blocks", Overflow_ways::blocks);
        ways.put("finally", Overflow_ways::cleaned);
        ways.put("catch", Overflow_ways::caught);
        ways.put("handler overflows", Overflow_ways::again);
        ways.put("wrapped", Overflow_ways::wrapped);
        ways.put("reflection", Overflow_ways::invoked);
        ways.put("constructor reflection", Made::new);
        ways.put("method handle", Overflow_ways::handled);
        ways.put("lambda", lambda::applyAsInt);
        ways.put("capturing lambda", Overflow_ways::capturing);
        ways.put("stream", Overflow_ways::streamed);
        ways.put("proxy", Overflow_ways::proxied);
        ways.put("concatenation", n -> chain(n).toString());
        ways.put("hashCode", n -> chain(n).hashCode());
        ways.put("equals", n -> chain(n).equals(chain(n)));
        ways.put("compareTo", n -> chain(n).compareTo(chain(n)));
        ways.put("copy", n -> chain(n).copy());
        ways.put("clone", n -> tree(n).clone());
        ways.put("nested lists hashCode", n -> nested(n).hashCode());
        ways.put("nested lists toString", n -> nested(n).toString());
        ways.put("nested lists equals", n -> nested(n).equals(nested(n)));
        ways.put("map in itself", n -> itself(n).hashCode());
        ways.put("set of maps", n -> new HashSet<>(List.of(itself(n))));
        ways.put("serialization", n -> { new ObjectOutputStream(OutputStream.nullOutputStream()).writeObject(chain(n)); return null; });
        ways.put("regular expression", n -> Pattern.matches("(?:a|b)*", "ab".repeat(n < 0 ? 100000 : n)));
        ways.put("class loader", n -> { try { return Class.forName("none.C0", false, new Asking(n)); } catch (ClassNotFoundException e) { return null; } });
        ways.put("class initialiser", n -> { Initialising.left.set(n); Initialising.next(); return null; });
        ways.put("allocation", Overflow_ways::allocating);
        ways.put("exceptions", Overflow_ways::failing);
        ways.put("copies", Overflow_ways::copying);
        ways.put("traces", Overflow_ways::tracing);
    }

    static String attempt(Way way, int n) {
        try {
            way.run(n);
            return "done";
        } catch (Throwable e) {
            StackTraceElement[] trace = e.getStackTrace();
            boolean known = e.getClass() == StackOverflowError.class && (trace.length > 50 || e.getCause() instanceof StackOverflowError) && trace.length <= 1024;
            return known ? "overflow" : e + " " + trace.length;
        }
    }

    static boolean free() throws InterruptedException {
        if (Thread.holdsLock(LOCK) || Thread.holdsLock(Overflow_ways.class)) return false;
        Thread t = new Thread(() -> { locked(1); blocks(1); });
        t.start();
        t.join(60000);
        return !t.isAlive();
    }

    /** All paths: endless twice, before and after that a small depth, which must work. */
    static void all(String where, boolean small) {
        int rounds = 2;
        try {
            for (Map.Entry<String, Way> e : ways.entrySet()) {
                if (!small && e.getKey().equals("class initialiser")) continue;  // thousands of classes
                StringBuilder line = new StringBuilder(where + ", " + e.getKey() + ":");
                line.append(' ').append(attempt(e.getValue(), 3));
                for (int i = 0; i < rounds; i++) line.append(' ').append(attempt(e.getValue(), -1));
                line.append(' ').append(attempt(e.getValue(), 3));
                System.out.println(line);
            }
            System.out.println(where + ": monitors free " + free() + ", finally " + (begun == ended));
        } catch (Throwable e) {
            System.out.println(where + " " + e);
        }
    }

    public static void main(String[] args) throws Exception {
        all("main", false);
        int[] sizes = {200, 400, 2048};
        for (int size : sizes) {
            Thread t = new Thread(null, () -> all(size + " KB", size <= 400), "stack of " + size, size << 10);
            t.start();
            t.join();
        }
    }
}
