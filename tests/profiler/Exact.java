import cabernet.Profile;
import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import java.util.Arrays;
import java.util.concurrent.CountDownLatch;
import java.util.function.IntBinaryOperator;

/** Events counted by compiled code, in situations hard for its counters. Each run makes the same events. */
public class Exact {
    int field;
    static int shared;
    static String file;
    

    static int work(int n) {
        int r = 0;
        for (int i = 0; i < n; i++)
            if ((i & 3) == 0) r += i;
            else shared += r;
        return r;
    }

    // ---- calls whose target is resolved at run time ----

    interface Shape { int area(); }
    static class Tile implements Shape {
        int a = 2;
        public int area() { return a * a; }
    }
    static class Half extends Tile {
        @Override public int area() { return super.area() / 2; }
    }
    static class Side extends Tile {
        @Override public int area() { return a; }
    }
    static class Circle implements Shape {
        public int area() { return 3; }
    }
    static class Dot implements Shape {
        public int area() { return 0; }
    }

    static int add(int a, int b) { return a + b; }
    static int multiply(int a, int b) { return a * b; }
    static boolean odd(int a, int b) { return (a & 1) == 1; }
    static int refuse(int a) {
        if (a == 7) throw new IllegalStateException();
        return a;
    }
    static int accept(IllegalStateException e, int a) { return -a; }
    static int apply(IntBinaryOperator o, int i) { return o.applyAsInt(i, 3); }
    static int invoke(MethodHandle h, int i) throws Throwable { return (int) h.invokeExact(i, i); }

    static void targets() throws Throwable {
        Shape[] shapes = {new Tile(), new Circle(), new Half(), new Side(), new Dot()};
        Tile[] squares = {new Tile(), new Half(), new Side()};
        IntBinaryOperator[] operators = {Exact::add, Exact::multiply, (x, y) -> x - y, (x, y) -> add(x, y) + 1, Integer::sum};
        MethodHandles.Lookup lookup = MethodHandles.lookup();
        MethodType two = MethodType.methodType(int.class, int.class, int.class);
        MethodHandle sum = lookup.findStatic(Exact.class, "add", two), product = lookup.findStatic(Exact.class, "multiply", two);
        MethodHandle choice = MethodHandles.guardWithTest(
            lookup.findStatic(Exact.class, "odd", two.changeReturnType(boolean.class)), sum, product);
        MethodHandle caught = MethodHandles.catchException(
            lookup.findStatic(Exact.class, "refuse", MethodType.methodType(int.class, int.class)), IllegalStateException.class,
            lookup.findStatic(Exact.class, "accept", MethodType.methodType(int.class, IllegalStateException.class, int.class)));
        int total = 0;
        for (int i = 0; i < 4000; i++) {
            total += shapes[i % 5].area() + squares[i % 3].area() + invoke(sum, i) + invoke(choice, i);
            total += (int) caught.invokeExact(i % 10);
            for (IntBinaryOperator o : operators) total += apply(o, i);
        }
        System.out.println(total);
    }

    // ---- exceptions ----

    static int thrower(int depth, int n) {
        if (depth == 0) {
            if (n % 3 == 0) throw new IllegalStateException();
            if (n % 3 == 1) return new int[n & 7][5].length + new int[3][n & 3].length / (n & 8);
            return n / (n & 1);
        }
        try {
            int r = thrower(depth - 1, n);
            shared++;
            return r;
        } finally {
            if (depth == 7) shared += 2;
        }
    }
    static void exceptions() {
        Exact e = new Exact();
        for (int i = 0; i < 3000; i++) {
            try {
                shared += thrower(20, i);
            } catch (IllegalStateException | ArithmeticException | ArrayIndexOutOfBoundsException x) {
                e.field++;
            }
        }
        int[] a = new int[100];
        for (int round = 0; round < 300; round++)
            try {
                for (int i = 0;; i++) { a[i] += round; e.field++; }
            } catch (ArrayIndexOutOfBoundsException x) { shared++; }
    }

    // Code that has replaced the frame of a loop throws, and an interpreted caller catches it.
    static int overrun(int[] a) {
        int r = 0;
        for (int i = 0;; i++) r += a[i] + field(i);
    }
    static int field(int i) { return ++shared + i; }
    static void overruns() {
        for (int i = 0; i < 5; i++)
            try { overrun(new int[20000 + i]); } catch (ArrayIndexOutOfBoundsException x) { shared++; }
    }

    // ---- deoptimisation ----

    static class Base { int area(int n) { return n; } }
    static class Square extends Base { int area(int n) { shared++; return n * n; } }
    static class Odd extends Base { int side; int area(int n) { side += n; return side; } }
    static int areas(Base b, int n) {
        int r = 0;
        for (int i = 0; i < n; i++) {
            r += b.area(i);
            if (i == 700 && n == 1001) r += late(b);
        }
        return r;
    }
    static int late(Base b) { return new Odd().area(1) + (b instanceof Odd ? 1 : 0); }
    static void deoptimisation() {
        Base b = new Base();
        for (int i = 0; i < 300; i++) shared += areas(b, 100);
        shared += areas(b, 1001);
        Base[] all = {b, new Square(), new Odd()};
        for (int i = 0; i < 300; i++) shared += areas(all[i % 3], 100);
    }

    // ---- loops ----

    static int bottom(int n) {
        int i = 0, r = 0;
        do { r += i ^ n; if (r == 5) shared++; } while (++i < n);
        return r;
    }
    static int nested(int n) {
        int r = 0;
        outer:
        for (int x = 0; x < n; x++)
            for (int y = n; y > 0; y -= 2) {
                if (y < x) continue outer;
                if (x * y == 35) break;
                for (int z = 0; z < y; z++) { if (z == x + 2) break outer; r += z; }
            }
        return r;
    }
    static long counted(int[] a, int[] b) {
        long sum = 0;
        for (int i = 0; i < a.length; i++) sum += a[i] * b[a.length - 1 - i];
        for (long l = 0; l < a.length; l++) sum ^= l;
        return sum;
    }
    static int switches(int n) {
        int r = 0;
        for (int i = 0; i < n; i++) {
            switch (i & 15) {
                case 0: case 3: case 5: r++; break;
                case 1: r += 2;
                case 2: case 4: r += 3; break;
                case 7: continue;
                case 9: if (r < 0) return r;
                default: shared++;
            }
            switch (r * 1000) { case 0: case 1000: case 5000: case 100000: break; default: r ^= 1; }
        }
        return r;
    }
    static void loops() {
        int[] a = new int[5000];
        for (int i = 0; i < 200; i++) {
            shared += bottom(i) + nested(i % 20) + (int) counted(a, a) + switches(i);
            Arrays.fill(a, i);
        }
        int r = 0;
        for (int i = 0; i < 300000; i++) { r += i; if ((i & 0xfff) == 7) shared += work(3); }   // on-stack replacement
        shared += r;
    }

    // ---- monitors ----

    synchronized int locked(int n) { if (n % 17 == 0) throw new RuntimeException(); return ++field; }
    static synchronized int locked(Exact e, int n) {
        synchronized (e) { return n < 0 ? 0 : e.locked(n) + shared++; }
    }
    static void monitors() {
        Exact e = new Exact();
        for (int i = 0; i < 5000; i++)
            try { locked(e, i); } catch (RuntimeException x) { e.field--; }
    }

    // ---- recursion ----

    static int deep(int n, int what) {
        if (n == 0) return bottomOf(what);
        shared++;
        return (n & 1) == 0 ? deep(n - 1, what) + 1 : (int) deeper(n - 1, what) + 2;
    }
    static long deeper(int n, int what) { return n == 0 ? bottomOf(what) : deep(n - 1, what) + 1; }
    static int bottomOf(int what) {
        switch (what) {
            case 1: Profile.dump(file); return 1;
            case 2: System.exit(3);
            case 3: Runtime.getRuntime().halt(4);
            case 4: Profile.stop(); return 2;
            case 5: Profile.start(); return 3;
            case 6: throw new IllegalStateException();
            default: return work(10);
        }
    }
    static void recursion(int what) {
        for (int i = 0; i < 100; i++) shared += deep(100, 0);
        try { shared += deep(10000, what); } catch (IllegalStateException e) { shared++; }
        for (int i = 0; i < 100; i++) shared += deep(100, 0);
    }

    // ---- start and stop ----

    static int paused(int n) { return n * 3 + shared++; }
    static void stopped() {
        for (int i = 0; i < 20; i++) {
            for (int k = 0; k < 1000; k++) shared += work(5);
            Profile.stop();
            for (int k = 0; k < 1000; k++) shared += paused(5);
            Profile.start();
        }
        recursion(4);
        for (int k = 0; k < 1000; k++) shared += paused(5);
        recursion(5);
    }

    // ---- threads ----

    static void threads(int count) throws InterruptedException {
        for (int i = 0; i < 300; i++) work(100);
        for (int i = 0; i < count; i += 20) {
            Thread[] some = new Thread[20];
            for (int k = 0; k < 20; k++) {
                int n = k;
                (some[k] = new Thread(() -> { quiet(n + 50); quiet(3); })).start();
            }
            for (Thread t : some) t.join();
        }
    }
    static int quiet(int n) {
        int r = 0;
        for (int i = 0; i < n; i++) r += i % 3 == 0 ? i : mixed(i);
        return r;
    }
    static int mixed(int n) { return n > 20 ? n ^ 5 : n; }

    // ---- a dump by another thread ----

    static void others() throws InterruptedException {
        CountDownLatch inside = new CountDownLatch(2), end = new CountDownLatch(1);
        Thread waits = new Thread(() -> waiting(inside, end, 400));
        Thread spins = new Thread(() -> spinning(inside, 500));
        waits.start();
        spins.start();
        inside.await();
        Settled.await(waits);
        Profile.dump(file);
        end.countDown();
        waits.join();
        spins.join();
    }
    static int waiting(CountDownLatch inside, CountDownLatch end, int n) {
        int r = 0;
        for (int i = 0; i < n; i++)
            for (int k = 0; k < 50; k++) {
                if ((k & 1) == 0) r += mixed(k);
                if (i == n - 7 && k == 30) {
                    try { inside.countDown(); end.await(); } catch (InterruptedException e) { return 0; }
                }
            }
        return r;
    }
    static int spinning(CountDownLatch inside, int n) {
        int r = 0;
        for (int i = 0; i < n; i++)
            for (int k = 0; k < 70; k++) if (k % 3 == 1) r += mixed(k);
        inside.countDown();
        return r;
    }

    public static void main(String[] args) throws Throwable {
        file = args.length > 1 ? args[1] : null;
        switch (args[0]) {
            case "exceptions": exceptions(); break;
            case "overruns": overruns(); break;
            case "deoptimisation": deoptimisation(); break;
            case "loops": loops(); break;
            case "monitors": monitors(); break;
            case "recursion": recursion(0); break;
            case "dump": recursion(1); break;
            case "exit": recursion(2); break;
            case "halt": recursion(3); break;
            case "thrown": recursion(6); break;
            case "stopped": stopped(); break;
            case "threads": threads(2000); break;
            case "others": others(); break;
            case "targets": targets(); break;
            default: throw new IllegalArgumentException(args[0]);
        }
    }
}

/** Its duration depends on the scheduler, so its counts are not compared. */
class Settled {
    static void await(Thread t) {
        while (t.getState() != Thread.State.WAITING) Thread.yield();
    }
}
