import java.util.ArrayList;
import java.util.LinkedList;
import java.util.List;
import java.util.Optional;

/** Objects materialised on some paths only: each exists once on any path, with the fields set by then. */
public class Partly_virtual {
    record Pair(int a, Object b) { }

    static class Cell {
        int value;
        Cell next;
        Cell(int value) { this.value = value; }
    }

    static Object kept, also;
    static final List<Object> all = new ArrayList<>();

    static void keep(Object o) { kept = o; }

    /** Materialised in a branch, then read, compared, and reached again without a second materialisation. */
    static int branch(int i, int mask) {
        Pair p = new Pair(i, null);
        int r = 0;
        if ((i & mask) == 1) kept = p;
        r += p.a();
        if ((i & mask) == 1) also = p;
        if ((i & 2 * mask) == 2 * mask) {
            also = p;
            r += (i & mask) == 1 && kept != also ? 1000000 : 1;
        }
        return r + (p.b() == null ? 2 : 0) + (kept == p ? 4 : 0);
    }

    /** The same with changing fields: a write after the branch is visible through the other reference. */
    static int changing(int i, int mask) {
        Cell c = new Cell(i);
        if ((i & mask) == 1) kept = c;
        c.value += 3;
        int r = (i & mask) == 1 ? ((Cell) kept).value : c.value;
        if ((i & mask) == 1) ((Cell) kept).value = 7;
        return r * 31 + c.value;
    }

    /** Merges with an object that already exists. */
    static int meets(Pair[] pool, int i) {
        Pair p = pool[i & 7];
        if (p == null) p = new Pair(i, pool);
        else if (p.a() > 3) p = new Pair(p.a() + i, p.b());
        return p.a() + (p.b() == pool ? 1 : 0);
    }

    /** The best one of a loop: two variables, of which one survives. */
    static int best(int n) {
        Pair best = new Pair(-1, 0);
        int sum = 0;
        for (int i = 0; i < n; i++) {
            Pair p = new Pair(i * 7919 % 101, i);
            if (p.a() > best.a()) best = p;
            sum += p.a() + (best == p ? 1 : 0);
        }
        return sum * 31 + best.a() + (Integer) best.b();
    }

    /** The loop-carried object is real on entry and escapes at the end. */
    static Pair rounds(Pair first, int n) {
        Pair p = first;
        for (int i = 0; i < n; i++) p = new Pair(p.a() * 31 + i, first);
        return p;
    }

    /** Carried around unchanged in most iterations. */
    static int seldom(int n) {
        Cell c = new Cell(0);
        for (int i = 0; i < n; i++) {
            if (i % 64 == 63) {
                Cell d = new Cell(c.value);
                d.next = c;
                c = d;
            }
            c.value += i;
        }
        int length = 0, sum = 0;
        for (; c != null; c = c.next) {
            length++;
            sum = sum * 31 + c.value;
        }
        return sum + length;
    }

    /** A constructor that leaks the object before its fields are set. */
    static class Early {
        final int a, b;
        Early(int a) {
            this.a = a;
            kept = this;
            b = ((Early) kept).a + 1;
        }
    }

    static class Later extends Early {
        final int c;
        Later(int a) {
            super(a);
            c = b + ((Later) kept).c;
        }
    }

    static int early(int i) {
        Later l = new Later(i);
        return l.a + l.b + l.c + (kept == l ? 1 : 0) + ((Later) kept).c;
    }

    static int boxes(int i, int mask) {
        Integer x = i % 500 - 250;
        if ((i & mask) == 1) kept = x;
        int r = x + 1;
        if ((i & mask) == 1) r += kept == x ? 10 : 0;
        if ((i & mask) == 1 && x < 128 && x >= -128) r += kept == Integer.valueOf(i % 500 - 250) ? 100 : 0;
        return r;
    }

    static int locked(int i, int mask) {
        Cell c = new Cell(i);
        synchronized (c) {
            if ((i & mask) == 1) kept = c;
            c.value++;
            if ((i & mask) == 1 && !Thread.holdsLock(kept)) return -1;
        }
        return c.value + ((i & mask) == 1 && Thread.holdsLock(kept) ? 1000 : 0);
    }

    static int lockedBehind(int i, int mask) {
        Pair p = new Pair(i, null);
        if ((i & mask) == 1) kept = p;
        synchronized (p) {
            if ((i & mask) == 1 && !Thread.holdsLock(kept)) return -1;
            return p.a() + (Thread.holdsLock(p) ? 1 : 0);
        }
    }

    static int optional(Integer x) {
        return Optional.ofNullable(x).map(v -> v + 1).filter(v -> v % 3 != 0).map(v -> v * 2).orElse(-1);
    }

    static int iterate(Iterable<Integer> list) {
        int s = 0;
        for (int x : list) s = s * 31 + x;
        return s;
    }

    /** Escapes after a loop of many iterations. */
    static int behind(int i, int[] a) {
        Pair p = new Pair(i, a);
        Cell c = new Cell(i);
        int s = 0;
        for (int x : a) s += x ^ p.a();
        c.value += s;
        kept = c;
        also = p;
        return s + ((Cell) kept).value + (p == also ? 1 : 0);
    }

    static int arrays(int i, int mask) {
        int[] a = {i, 1, 2};
        Object[] o = {a, null};
        if ((i & mask) == 1) keep(o);
        a[1] += i;
        o[1] = "x";
        return (i & mask) == 1 ? ((int[]) ((Object[]) kept)[0])[1] + ((Object[]) kept)[1].hashCode() : a[1] + o.length;
    }

    interface Case { int of(int i); }

    static void run(String name, Case c) {
        int h = 0;
        kept = also = null;
        for (int i = 0; i < 4000; i++) h = h * 31 + c.of(i);
        System.out.println(name + " " + h + " " + (kept instanceof Pair p ? "" + p.a() : kept instanceof Cell l ? "" + l.value : kept instanceof Early e ? "" + e.b : ""));
    }

    public static void main(String[] args) {
        Pair[] pool = {new Pair(1, null), null, new Pair(5, null), null, null, new Pair(2, null), null, new Pair(9, "p")};
        List<Integer> list = new ArrayList<>(), linked = new LinkedList<>();
        for (int i = 0; i < 9; i++) {
            list.add(i * 3);
            linked.add(i * 5);
        }
        int[] numbers = new int[150];
        for (int i = 0; i < numbers.length; i++) numbers[i] = i * i;
        for (int mask : new int[] {1, 3, 1023}) {
            run("branch", i -> branch(i, mask));
            run("changing", i -> changing(i, mask));
            run("boxes", i -> boxes(i, mask));
            run("locked", i -> locked(i, mask));
            run("lockedBehind", i -> lockedBehind(i, mask));
            run("arrays", i -> arrays(i, mask));
        }
        run("meets", i -> meets(pool, i));
        run("best", i -> best(i % 60));
        run("rounds", i -> {
            Pair first = new Pair(i, null), last = rounds(first, i % 5);
            return last.a() + (last == first ? 1 : last.b() == first ? 2 : 4);
        });
        run("seldom", i -> seldom(i % 300));
        run("early", Partly_virtual::early);
        run("optional", i -> optional(i % 11 == 3 ? null : i));
        run("iterate", i -> iterate(i % 9 == 4 ? linked : list));
        run("behind", i -> i % 5 == 0 ? behind(i, numbers) : 0);
        Pair last = rounds(new Pair(1, "first"), 60000);
        System.out.println(last.a() + " " + ((Pair) last.b()).b() + " " + best(60000));
    }
}
