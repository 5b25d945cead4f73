// Private members reached across nest mates: fields, methods, constructors, in both directions.
public class Nest_privateAccess {
    private int f = 1;
    private static long sf = 2;
    private final Inner inner = new Inner(3);

    private int m(int x) { return x + f; }
    private static String sm(Object o) { return "sm" + o; }

    private static class Sibling {
        private int v = 10;
        private Sibling() { }
        private int use(Inner i) { return i.p + i.pm() + v; }
        private class Deep { private int d = v++; private int peek(Nest_privateAccess n) { return n.f++ + n.inner.p + n.m(5); } }
    }

    private class Inner {
        private int p;
        private Inner(int p) { this.p = p; }
        private int pm() { return p * 2 + f; }
    }

    private interface Pi { private int hidden() { return 5; } default int open() { return hidden() + 1; } }
    private enum E { X; private int k = 4; private int get() { return k++; } }

    static class Parent { private String who() { return "parent"; } String ask() { return who(); } }
    static class Child extends Parent { private String who() { return "child"; } String askBoth() { return who() + ask() + ((Parent) this).who(); } }

    public static void main(String[] args) {
        Nest_privateAccess n = new Nest_privateAccess();
        Sibling s = new Sibling();
        Sibling.Deep d = s.new Deep();
        n.f += 5;
        n.f++;
        sf *= 3;
        s.v -= 2;
        n.inner.p <<= 2;
        System.out.println(n.m(2) + " " + sf + " " + sm(s.v) + " " + s.use(n.inner) + " " + d.d + " " + d.peek(n) + " " + n.f);
        System.out.println(new Pi() { }.open() + " " + E.X.get() + E.X.k);
        System.out.println(new Child().askBoth());
        System.out.println(Inner.class.getNestHost().getSimpleName() + " " + Sibling.Deep.class.isNestmateOf(E.class) + " " + String.class.isNestmateOf(E.class));
        Runnable r = () -> { n.f = 99; System.out.println(n.m(1) + s.v); };
        r.run();
    }
}
