import java.util.*;
import java.util.function.*;

// Objects that do not escape: the program must not be able to tell whether they were allocated. Each case
// runs often enough to be compiled, and finally in a way not seen before: it deoptimises with live virtual
// objects.
public class Virtual_objects {
    static class P {
        int x;
        long y;
        double d;
        boolean z;
        byte b;
        short s;
        char c;
        float f;
        Object o;
        P next;
        P(int x, Object o) { this.x = x; this.o = o; y = x * 3L; d = x / 2.0; z = x % 2 == 0; b = (byte) x; s = (short) x; c = (char) x; f = x; }
        int sum() { return (int) (x + y + d + (z ? 1 : 0) + b + s + c + f); }
        @Override public String toString() { return x + " " + y + " " + d + " " + z + " " + b + " " + s + " " + (int) c + " " + f + " " + o; }
    }

    static final class Final {
        final int a, b;
        Final(int a, int b) { this.a = a; this.b = b; }
        Final plus(Final o) { return new Final(a + o.a, b + o.b); }
        @Override public boolean equals(Object o) { return o instanceof Final && ((Final) o).a == a && ((Final) o).b == b; }
        @Override public int hashCode() { return a * 31 + b; }
    }

    static Object kept;
    static int never;

    static String leave(int i, boolean rare) {
        P p = new P(i, "s" + (i & 3));
        p.next = null;
        if (rare) return p + " " + p.getClass().getName() + " " + (p == kept);
        return p.x == i ? "" : "wrong";
    }

    // A virtual object within a virtual object, with both in a local at the deoptimisation.
    static int nested(int i, boolean rare) {
        P outer = new P(i, null);
        outer.next = new P(i + 1, outer.o);
        outer.next.next = new P(i + 2, null);
        if (rare) {
            kept = outer.next;
            return outer.next == kept ? outer.next.next.sum() : -1;
        }
        return outer.x + outer.next.x + outer.next.next.x;
    }

    static int identity(int i, boolean rare) {
        P a = new P(i, null), b = new P(i, null), c = a;
        int r = (a == b ? 1 : 0) + (a == c ? 2 : 0) + (a != null ? 4 : 0) + (a == kept ? 8 : 0) + (kept == b ? 16 : 0);
        if (rare) {
            kept = a;
            r += (kept == c ? 32 : 0) + (kept == b ? 64 : 0) + (System.identityHashCode(a) == System.identityHashCode(c) ? 128 : 0);
        }
        return r;
    }

    static int locked(int i, boolean rare) {
        P p = new P(i, null);
        synchronized (p) {
            synchronized (p) {
                p.x++;
                if (rare) return (Thread.holdsLock(p) ? 1000 : 0) + p.x;
            }
            if (i == never - 1) throw new IllegalStateException();
        }
        return p.x + (rare && Thread.holdsLock(p) ? 1 : 0);
    }

    static int lockedOutside(int i, boolean rare) {
        P p = new P(i, null);
        try {
            synchronized (p) {
                if (rare) {
                    kept = p;
                    throw new RuntimeException("in the monitor");
                }
            }
        } catch (RuntimeException e) {
            return (Thread.holdsLock(kept) ? 1 : 0) + p.x;
        }
        return p.x;
    }

    static synchronized int buffer(int i, boolean rare) {
        StringBuffer s = new StringBuffer(8);
        s.append(i).append(',').append(rare);
        return s.length();
    }

    static int thrown(int i, boolean rare) {
        P p = new P(i, "t");
        int[] a = new int[3];
        a[0] = i;
        a[2] = 7;
        try {
            p.y += a[rare ? 3 : 2];
        } catch (ArrayIndexOutOfBoundsException e) {
            p.y += e.getMessage().length() + a.length;
        } finally {
            p.x++;
        }
        return (int) p.y + p.x + a[0] + a[1];
    }

    static int cast(Object o, int i, boolean rare) {
        Final f = new Final(i, i + 1);
        Object x = rare ? o : f;
        if (x instanceof Final) return ((Final) x).plus(f).hashCode();
        return x.hashCode() + ((Comparable<?>) x).getClass().getName().length() + f.a;
    }

    static long inLoop(int n, boolean rare) {
        Final p = new Final(0, 0), q = new Final(1, 1);
        for (int i = 0; i < n; i++) {
            Final sum = p.plus(q);
            p = q;
            q = sum;
            if (rare && i == n / 2) kept = q;
        }
        return p.a * 1000003L + q.b + (rare && kept.equals(q) ? 1 : 0);
    }

    // Two references to one object, carried around a loop.
    static int aliases(int n) {
        P a = new P(1, null), b = a;
        int same = 0;
        for (int i = 0; i < n; i++) {
            b.x += i;
            if (a.x == b.x) same++;
            if (i % 7 == 3) b = new P(i, null);
            else if (i % 7 == 5) a = b;
        }
        return same * 31 + a.x + b.x;
    }

    static int iterate(List<Integer> list, boolean rare) {
        int s = 0;
        for (int x : list) s += x;
        if (rare) list.set(0, null);
        return s;
    }

    static int lambda(int i, boolean rare) {
        int[] cell = {i};
        IntUnaryOperator f = x -> x + cell[0] + i;
        Supplier<Final> g = () -> new Final(i, f.applyAsInt(1));
        cell[0]++;
        if (rare) kept = g;
        return g.get().b + (rare ? ((Final) ((Supplier<?>) kept).get()).a : 0);
    }

    static int boxes(int n, boolean rare) {
        Integer s = 0;
        Long l = 0L;
        for (int i = 0; i < n; i++) {
            s = s + i;
            l += s;
        }
        Integer a = n & 127, b = n & 127, c = n + 1000, d = n + 1000;
        if (rare) kept = s;
        return s + l.intValue() + (a == b ? 1 : 0) + (c.equals(d) ? 2 : 0) + (rare && kept.equals(s) ? 4 : 0);
    }

    static int optional(int i, boolean rare) {
        return Optional.of(i).map(x -> x + 1).filter(x -> !rare || x > 5).orElse(-1);
    }

    static int small(int i, boolean rare) {
        Object[] a = {i, "x", null};
        long[] l = new long[4];
        l[i & 3] = i;
        l[1] += 5;
        byte[] b = {1, 2, (byte) i};
        boolean[] z = new boolean[2];
        z[1] = i > 3;
        if (rare) kept = a;
        return (a[2] == null ? 1 : 0) + a.length + (int) (l[0] + l[1] + l[2] + l[3]) + b[2] + (z[1] ? 1 : 0) + (rare ? ((Object[]) kept).length : 0);
    }

    static int osr(int n) {
        P p = new P(0, null);
        int s = 0;
        for (int i = 0; i < n; i++) {
            P q = new P(i, p);
            synchronized (q) {
                s += q.x ^ p.x;
                if (i == n - 2) kept = q;
            }
            p.x = q.x & 15;
        }
        return s + ((P) kept).x + ((P) kept).sum();
    }

    static class Dies {
        static int count;
        int v;
        Dies(int v) { this.v = v; }
        @Override protected void finalize() { synchronized (Dies.class) { count++; } }
    }

    static int finalized(int i) { return new Dies(i).v; }

    static int weak(int i) {
        java.lang.ref.WeakReference<P> w = new java.lang.ref.WeakReference<>(new P(i, null));
        P p = w.get();
        return p == null ? 1 : p.x - i + 1;
    }

    static void twice(String name, BiFunction<Integer, Boolean, Object> f) {
        long h = 0;
        for (int i = 0; i < 6000; i++) h = h * 31 + f.apply(i, false).hashCode();
        System.out.println(name + " " + h + " " + f.apply(11, true) + " " + f.apply(12, true) + " " + f.apply(13, false));
    }

    public static void main(String[] args) throws Exception {
        never = 1000000;
        twice("leave", Virtual_objects::leave);
        twice("nested", Virtual_objects::nested);
        twice("identity", Virtual_objects::identity);
        twice("locked", Virtual_objects::locked);
        twice("lockedOutside", Virtual_objects::lockedOutside);
        twice("buffer", Virtual_objects::buffer);
        twice("thrown", Virtual_objects::thrown);
        twice("cast", (i, rare) -> cast("str" + i, i, rare));
        twice("inLoop", (i, rare) -> inLoop(i % 50, rare));
        twice("aliases", (i, rare) -> aliases(i % 30));
        List<Integer> list = new ArrayList<>();
        for (int i = 0; i < 10; i++) list.add(i * 100);
        twice("iterate", (i, rare) -> {
            try {
                return iterate(list, rare);
            } catch (NullPointerException e) {
                return -1;
            }
        });
        twice("lambda", Virtual_objects::lambda);
        twice("boxes", (i, rare) -> boxes(i % 40, rare));
        twice("optional", Virtual_objects::optional);
        twice("small", Virtual_objects::small);
        System.out.println(osr(200000));
        int s = 0;
        for (int i = 0; i < 5000; i++) s += finalized(i) + weak(i);
        System.out.println(s);
        for (int i = 0; i < 100 && Dies.count < 4000; i++) {
            System.gc();
            Thread.sleep(20);
        }
        System.out.println(Dies.count >= 4000);
    }
}
