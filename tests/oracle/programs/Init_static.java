// Static initialisers: triggered by calls, fields, new, subclasses, interfaces, enums; failing; within a call.
public class Init_static {
    static int log;
    static int note(int v) { log = log * 3 + v; return v; }
    static class A { static int x = note(1); static { helper(); } static void helper() { note(2); } static int get() { return x; } }
    static class B extends A { static int y = note(A.get() + 3); B() { note(y); } }
    interface I { int V = note(5); default int m() { return V; } }
    static class C implements I { static int z = note(6); }
    static class D { static { E.poke(); } static int call(int v) { return v + 1; } }
    static class E { static int count = F.call(7); static void poke() { count++; note(8); } }
    static class F { static { note(9); } static int call(int v) { return note(v); } }
    static class Bad { static { boom(); } static void boom() { note(4); throw new IllegalStateException(); } static int never() { return 1; } }
    enum Color { RED, GREEN { @Override int val() { return note(20); } }; final int k; Color() { k = note(10); } int val() { return k; } }
    static class Lazy { static final Lazy ONE = new Lazy(); Lazy() { note(11); } static Lazy get() { return ONE; } int v() { return note(12); } }
    static int branchy(Color c) { switch (c) { case RED: return 1; default: return c.val(); } }
    static class Loops { static int s; static { for (int i = 0; i < 5; i++) s += i % 2 == 0 ? note(i) : F.call(i); } }
    public static void main(String[] args) {
        note(D.call(1));
        new B();
        new B();
        note(new C().m());
        for (int i = 0; i < 3; i++) {
            try { Bad.never(); } catch (ExceptionInInitializerError e) { note(30); } catch (NoClassDefFoundError e) { note(31); }
        }
        note(Lazy.get().v());
        for (Color c : Color.values()) note(branchy(c));
        System.out.println(log + " " + Loops.s + " " + E.count + " " + Color.valueOf("RED").val());
    }
}
