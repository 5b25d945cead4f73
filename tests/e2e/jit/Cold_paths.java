// Late firsts in hot code: branches never taken, classes never loaded or initialised, every exception that an
// instruction throws, with its message.
import java.util.function.IntUnaryOperator;

public class Cold_paths {
    static class Lazy {
        static int made;
        static { System.out.println("Lazy initialised"); made = 40; }
        int field = ++made;
    }
    static class Broken {
        static int x = 1 / Integer.parseInt("0");
    }
    static class Base { int v = 1; }
    static class Sub extends Base { }
    static class MyError extends RuntimeException { MyError(String m) { super(m); } }

    static int work(int mode, int i, Object o, int[] a, Object[] objects) {
        try {
            switch (mode) {
                case 0: return i + 1;
                case 1: return new Lazy().field + Lazy.made;
                case 2: return Broken.x;
                case 3: return a[i];
                case 4: return i / (a.length - a.length);
                case 5: return ((Sub) o).v;
                case 6: objects[0] = o; return objects.length;
                case 7: return new int[i - i - 1].length;
                case 8: return ((Base) o).v;
                case 9: throw new MyError("mine " + i);
                case 10: return (int) (5L % (long) (i - i));
                case 11: return o.hashCode();
                case 12: return new int[2][i - i - 3].length;
                case 13: synchronized (o) { return 1; }
                default: return String.valueOf(o).length();
            }
        } catch (MyError e) {
            return e.getMessage().length();
        } finally {
            a[0]++;
        }
    }

    static String attempt(int mode, int i, Object o, int[] a, Object[] objects) {
        try {
            return "" + work(mode, i, o, a, objects);
        } catch (Throwable e) {
            return e.getClass().getName() + ": " + e.getMessage();
        }
    }

    static int apply(IntUnaryOperator f, int x) { return f.applyAsInt(x); }

    public static void main(String[] args) {
        int[] a = new int[4];
        long sum = 0;
        for (int i = 0; i < 60_000; i++) sum += work(0, i, null, a, null);
        System.out.println(sum);
        for (int round = 0; round < 3; round++) {
            for (int mode = 1; mode < 15; mode++) {
                Object o = mode == 5 ? new Base() : mode == 6 ? "text" : null;
                System.out.println(mode + " " + attempt(mode, mode == 3 ? 9 : 2, o, a, new Integer[1]));
            }
            for (int i = 0; i < 30_000; i++) sum += work(round + 8 == 8 ? 8 : 0, i, new Sub(), a, null);
        }
        System.out.println(attempt(3, 0, null, null, null));
        System.out.println(sum + " " + a[0]);
        for (int i = 0; i < 50_000; i++) sum += apply(x -> x + 1, i);
        try {
            apply(x -> { throw new MyError("late"); }, 1);
        } catch (MyError e) {
            System.out.println(e.getMessage());
        }
        try {
            apply(null, 1);
        } catch (NullPointerException e) {
            System.out.println(e.getMessage());
        }
        System.out.println(sum);
    }
}
