// Default, static and private interface methods; diamond resolution; super calls; constants.
public class Interface_defaults {
    static StringBuilder log = new StringBuilder();

    interface Root {
        int LIMIT = init("Root.LIMIT", 10);
        default String who() { return "Root"; }
        static String make(String s) { return "made:" + s; }
    }

    interface Left extends Root {
        @Override default String who() { return "Left<" + Root.super.who() + ">"; }
    }

    interface Right extends Root {
        int WIDTH = init("Right.WIDTH", 20);
        @Override default String who() { return "Right<" + helper(2) + ">"; }
        private String helper(int n) { return n == 0 ? "" : "r" + helper(n - 1) + shared(); }
        private static String shared() { return "s"; }
    }

    interface Plain extends Root { }

    static class Both implements Left, Right {
        public String who() { return Left.super.who() + "+" + Right.super.who(); }
    }

    static class ViaPlain implements Plain, Left { }

    static class Parent { public String who() { return "Parent"; } }

    static class ClassWins extends Parent implements Right { }

    static abstract class Abs implements Left { }

    static class Deep extends Abs {
        @Override public String who() { return "Deep:" + super.who(); }
    }

    interface Generic<T extends Comparable<T>> {
        T get();
        default boolean less(Generic<T> o) { return get().compareTo(o.get()) < 0; }
    }

    record Num(Integer get) implements Generic<Integer> { }

    static int init(String what, int v) {
        log.append(what).append(' ');
        return v;
    }

    public static void main(String[] args) {
        System.out.println(new Both().who());
        System.out.println("log: " + log);
        System.out.println(new ViaPlain().who());
        System.out.println(new ClassWins().who());
        System.out.println(new Deep().who());
        System.out.println(Root.make("x"));
        Root r = new Both();
        System.out.println(r.who());
        System.out.println(new Root() { }.who());
        System.out.println(new Num(3).less(new Num(4)) + " " + new Num(4).less(new Num(3)));
        System.out.println(Right.WIDTH + Root.LIMIT);
        System.out.println("log: " + log);
    }
}
