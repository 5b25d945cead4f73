// A reference that a method will not read again keeps nothing alive, in any tier, and one that it will read stays. Each
// case makes objects, lets some of them die, and collects in the same activation or in one below it. Prints a line for
// each case in which a dead object still exists or a live one is gone, then the number of examined objects. The
// argument is the number of rounds of each case before the examined one. (java's interpreter keeps more than this.)
import java.lang.ref.*;
import java.util.*;
import java.util.function.*;

public class Dead_references {
    static boolean look;      // collect, and examine the references
    static int sink, all;

    static final class Seen {
        final WeakReference<?>[] dead = new WeakReference<?>[64], live = new WeakReference<?>[64];
        int deadCount, liveCount;
        void dead(Object o) { if (look) dead[deadCount++] = new WeakReference<>(o); }
        void live(Object o) { if (look) live[liveCount++] = new WeakReference<>(o); }
        // Called while the objects are alive.
        void check() {
            if (!look) return;
            for (int i = 0; i < liveCount; i++) if (live[i].get() == null) System.out.println("a live object is gone");
        }
    }

    static class Node {
        final int value;
        Node next;
        Node(int value) { this.value = value; }
        int get() { return value; }
    }
    static final class Other extends Node {
        Other(int value) { super(value); }
        @Override int get() { return -value; }
    }
    interface Shape { int area(); }
    record Square(int side) implements Shape { public int area() { return side * side; } }
    record Circle(int radius) implements Shape { public int area() { return 3 * radius * radius; } }

    static void collect() { if (look) for (int i = 0; i < 2; i++) System.gc(); }

    // A local variable, dead at the collection.
    static void local(Seen s, int n) {
        Node a = new Node(n);
        s.dead(a);
        sink += a.get();
        collect();
    }
    // More references than there are registers; every second one dies.
    static void many(Seen s, int n) {
        Node a = new Node(n), b = new Node(n + 1), c = new Node(n + 2), d = new Node(n + 3), e = new Node(n + 4),
             f = new Other(n + 5), g = new Node(n + 6), h = new Other(n + 7), i = new Node(n + 8), j = new Other(n + 9),
             k = new Node(n), l = new Node(n), m = new Node(n), o = new Node(n), p = new Node(n), q = new Node(n);
        s.dead(a); s.live(b); s.dead(c); s.live(d); s.dead(e); s.live(f); s.dead(g); s.live(h); s.dead(i); s.live(j);
        s.dead(k); s.live(l); s.dead(m); s.live(o); s.dead(p); s.live(q);
        sink += a.get() + c.get() + e.get() + g.get() + i.get() + k.get() + m.get() + p.get();
        collect();
        s.check();
        sink += b.get() + d.get() + f.get() + h.get() + j.get() + l.get() + o.get() + q.get();
        Reference.reachabilityFence(b); Reference.reachabilityFence(d); Reference.reachabilityFence(f);
        Reference.reachabilityFence(h); Reference.reachabilityFence(j); Reference.reachabilityFence(l);
        Reference.reachabilityFence(o); Reference.reachabilityFence(q);
    }
    // The references of loops: the last element, the array, its address inside the loop.
    static void loop(Seen s, int n) {
        int[] a = new int[100 + (n & 7)];
        Node head = null;
        for (int i = 0; i < a.length; i++) {
            a[i] = i * n;
            Node x = new Node(i);
            x.next = head;
            head = x;
        }
        s.dead(a);
        s.dead(head);
        int sum = 0;
        for (int i = a.length - 1; i >= 0; i -= 3) sum += a[i];
        for (Node x = head; x != null; x = x.next) sum += x.value;
        sink += sum;
        collect();
    }
    // Each iteration's object is dead in the next iteration.
    static void iterations(Seen s, int n) {
        for (int i = 0; i < 6; i++) {
            Node x = (i & 1) == 0 ? new Node(i) : new Other(n);
            s.dead(x);
            sink += x.get();
            if (i % 3 == 2) collect();
        }
    }
    // Dead in each activation of a recursion.
    static void recursion(Seen s, int n, int depth) {
        Node a = new Node(n), b = new Node(depth);
        s.dead(a);
        s.live(b);
        sink += a.get();
        if (depth > 0) recursion(s, n + 1, depth - 1);
        else collect();
        s.check();
        Reference.reachabilityFence(b);
    }
    static void recursion(Seen s, int n) { recursion(s, n, 20); }
    // Arguments, in registers and on the stack, that only the callee holds.
    static void callee(Seen s, Node a, Node b, Node c, Node d, Node e, Node f, Node g, Node h) {
        s.dead(a); s.dead(b); s.dead(c); s.dead(d); s.dead(e); s.dead(f); s.dead(g); s.dead(h);
        sink += a.get() + h.get();
        if (a.value > 1 << 28) callee(s, h, g, f, e, d, c, b, a);  // not inlined
        collect();
    }
    static void arguments(Seen s, int n) {
        callee(s, new Node(n), new Node(1), new Node(2), new Other(3), new Node(4), new Node(5), new Node(n), new Other(n));
    }
    // The receiver of a call of each kind.
    static int sum(Shape a, Node b, IntSupplier c, int n) { return a.area() + b.get() + c.getAsInt() + n; }
    static void receivers(Seen s, int n) {
        Shape shape = (n & 1) == 0 ? new Square(n) : new Circle(n);
        Node node = (n & 2) == 0 ? new Node(n) : new Other(n);
        Object captured = new Object();
        IntSupplier lambda = () -> captured == null ? 1 : n;
        s.dead(shape); s.dead(node); s.dead(lambda); s.dead(captured);
        sink += sum(shape, node, lambda, n);
        collect();
    }
    // Exceptions: thrown far below, caught, dropped.
    static void thrower(Seen s, int depth) {
        Object o = new int[depth + 1];
        s.dead(o);
        if (depth > 0) thrower(s, depth - 1);
        else {
            RuntimeException e = new IllegalStateException();
            s.dead(e);
            throw e;
        }
        sink += o.hashCode();
    }
    static void exceptions(Seen s, int n) {
        try {
            thrower(s, 3);
        } catch (IllegalStateException e) {
            sink += e.getStackTrace().length;
        }
        try {
            Object o = new Node(n);
            s.dead(o);
            sink += ((int[]) o)[0];
        } catch (ClassCastException e) {
            s.dead(e);
            sink++;
        }
        collect();
    }
    // Monitors, inflated and not.
    static void monitors(Seen s, int n) {
        Object a = new Object(), b = new Object(), c = new Object();
        s.dead(a); s.dead(b); s.live(c);
        synchronized (a) { synchronized (b) { sink += n; } }
        synchronized (b) { b.notifyAll(); }
        synchronized (c) { collect(); }
        s.check();
        Reference.reachabilityFence(c);
    }
    // Arguments of intrinsics and natives.
    static void natives(Seen s, int n) {
        Object[] from = {new Node(n), "x" + n, new int[2]}, to = new Object[3];
        System.arraycopy(from, 0, to, 0, 3);
        Object[] copy = to.clone();
        String text = new String("text" + n), same = new String("text" + n);
        byte[] bytes = new byte[40];
        Arrays.fill(bytes, (byte) n);
        s.dead(from); s.dead(to); s.dead(copy); s.dead(from[0]); s.dead(text); s.dead(same); s.dead(bytes);
        sink += text.equals(same) ? 1 : 2;
        sink += text.hashCode() + System.identityHashCode(copy) + copy.getClass().hashCode() + Arrays.hashCode(bytes);
        sink += text.indexOf(same) + copy[2].hashCode() + Arrays.copyOf(copy, 7).length;
        collect();
    }
    static final java.lang.reflect.Method METHOD;
    static final java.lang.reflect.Constructor<?> CONSTRUCTOR;
    static {
        try {
            METHOD = Dead_references.class.getDeclaredMethod("reflected", Seen.class, Object.class, int.class, Object.class);
            CONSTRUCTOR = Node.class.getDeclaredConstructor(int.class);
        } catch (ReflectiveOperationException e) {
            throw new AssertionError(e);
        }
    }
    static Object reflected(Seen s, Object a, int n, Object b) {
        s.dead(a); s.dead(b);
        sink += a.hashCode() + b.hashCode();
        Object result = new Node(n);
        s.dead(result);
        return result;
    }
    static void reflection(Seen s, int n) {
        try {
            Object made = CONSTRUCTOR.newInstance(n), result = METHOD.invoke(null, s, made, n, new Node(n));
            sink += ((Node) result).value;
            made = result = null;
            collect();
        } catch (ReflectiveOperationException e) {
            throw new AssertionError(e);
        }
    }
    // Collections and streams of the class library.
    static void library(Seen s, int n) {
        Map<Integer, Object> map = new HashMap<>();
        List<Object> list = new ArrayList<>();
        for (int i = 0; i < 10; i++) {
            Node x = new Node(i);
            s.dead(x);
            map.put(i, x);
            list.add(x);
        }
        s.dead(map); s.dead(list);
        for (Map.Entry<Integer, Object> e : map.entrySet()) sink += e.getKey();
        sink += list.stream().mapToInt(x -> ((Node) x).value).sum();
        list.sort(Comparator.comparingInt(x -> -((Node) x).value));
        collect();
    }
    // Several paths to the collection, with different live objects.
    static void ways(Seen s, int n) {
        Node a = new Node(n), b = new Node(n + 1), c = null;
        switch (n % 7) {
            case 0: c = a; break;
            case 1: c = new Other(n); break;
            case 2: sink += a.get(); break;
            case 3: sink += b.get(); break;
            case 4: case 5: a = b; break;
            default: b = new Node(4);
        }
        if (c == null) c = b;
        if (c != a) s.dead(a);
        s.live(c);
        sink += a.get() + b.get();
        a = b = null;
        collect();
        s.check();
        sink += c.get();
        Reference.reachabilityFence(c);
    }

    interface Case { void run(Seen s, int n); }
    static void round(String name, Case c, int rounds) {
        for (int i = 0; i < rounds; i++) c.run(new Seen(), i);
        look = true;
        Seen s = new Seen();
        c.run(s, rounds);
        look = false;
        int kept = 0;
        for (int i = 0; i < s.deadCount; i++) if (s.dead[i].get() != null) kept++;
        if (kept > 0) System.out.println(name + ": " + kept + " of " + s.deadCount + " dead objects are still there");
        all += s.deadCount + s.liveCount;
    }

    public static void main(String[] args) {
        int rounds = args.length > 0 ? Integer.parseInt(args[0]) : 20;
        for (int i = 0; i < 2; i++) {
            round("local", Dead_references::local, rounds);
            round("many", Dead_references::many, rounds);
            round("loop", Dead_references::loop, rounds);
            round("iterations", Dead_references::iterations, rounds);
            round("recursion", Dead_references::recursion, rounds);
            round("arguments", Dead_references::arguments, rounds);
            round("receivers", Dead_references::receivers, rounds);
            round("exceptions", Dead_references::exceptions, rounds);
            round("monitors", Dead_references::monitors, rounds);
            round("natives", Dead_references::natives, rounds);
            round("reflection", Dead_references::reflection, rounds);
            round("library", Dead_references::library, rounds);
            round("ways", Dead_references::ways, rounds);
            rounds += 1;
        }
        System.out.println("objects " + all);
    }
}
