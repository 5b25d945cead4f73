// Order of field initialisers, instance blocks, constructors and virtual calls from them.
public class Init_instanceOrder {
    static int step;
    static int at(String s) { System.out.println(++step + " " + s); return step; }

    static class A {
        int a = at("A.a");
        { at("A block"); }
        A() { this(at("A() argument")); at("A() body"); hook(); }
        A(int x) { at("A(int) body " + (x > 0)); }
        void hook() { at("A.hook"); }
        final int late;
        { late = at("A late"); }
    }

    static class B extends A {
        final int fixed = 77;
        final Integer boxed = 78;
        int b = at("B.b");
        String text = "set";
        B() { super(); at("B() text=" + text); }
        @Override void hook() { at("B.hook fixed=" + fixed + " boxed=" + boxed + " b=" + b + " text=" + text); }
        { at("B block"); }
    }

    static class Escaping {
        static Escaping last;
        final int v;
        Escaping(boolean fail) {
            last = this;
            if (fail) throw new RuntimeException("half built");
            v = 5;
        }
    }

    public static void main(String[] args) {
        new B();
        System.out.println("--");
        new A(0);
        try {
            new Escaping(true);
        } catch (RuntimeException e) {
            System.out.println(e.getMessage() + " " + Escaping.last.v);
        }
        new Escaping(false);
        System.out.println(Escaping.last.v);
        int[] count = {0};
        Object[] grid = {count[0]++, count[0]++, new int[]{count[0]++, count[0]++}};
        System.out.println(grid[0] + " " + grid[1] + " " + ((int[]) grid[2])[1]);
    }
}
