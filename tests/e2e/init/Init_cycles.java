// Cyclic class initialisation on one thread: visible default values, via superclasses, statics, enums and constants.
public class Init_cycles {
    static class A { static final Object EARLY = say("A"); static int x = B.y + 1; static final int CONST = 7; static final Integer BOXED = 8; }
    static class B { static final Object EARLY = say("B"); static int y = A.x + 10; static String seen = A.CONST + " " + A.BOXED; }
    static class P { static { say("P"); C.touch(); } static int p = 3; }
    static class C extends P { static int c = p + 1; static { say("C " + p); } static void touch() { say("touch " + c + " " + p); } }
    enum E { ONE, TWO; static final E[] ALL = values(); static int n = ALL.length; final int at; E() { at = Holder.count++; say("E" + at + " " + (ALL_OR_NULL() == null)); } static Object ALL_OR_NULL() { return ALL; } }
    static class Holder { static int count = 5; static { say("Holder"); } }
    interface I { Object O = say("I"); default void m() { } }
    interface J { Object O = say("J"); }
    static class K implements I, J { static { say("K"); } }
    static class Self { static Self one = new Self(); static int n = 5; int seen = n; static Self two = new Self(); }

    static Object say(String s) { System.out.println(s); return s; }

    public static void main(String[] args) {
        System.out.println(B.y + " " + A.x + " " + B.seen);
        System.out.println(C.c + " " + P.p);
        System.out.println(E.TWO.at + " " + E.n + " " + Holder.count);
        new K();
        System.out.println(J.O);
        System.out.println(Self.one.seen + " " + Self.two.seen);
    }
}
