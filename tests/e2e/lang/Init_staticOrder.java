// Order and triggers of class initialisation, including uses that do not trigger it.
public class Init_staticOrder {
    static void say(String s) { System.out.println(s); }
    static int val(String s, int v) { say(s); return v; }

    static class P {
        static final int CONST = 5;
        static final Integer BOXED = val("P.BOXED", 6);
        static int plain = val("P.plain", 7);
        static { say("P static block"); }
        static void touch() { say("P.touch"); }
    }

    static class C extends P {
        static int own = val("C.own", 8);
        static { say("C static block, sees " + plain); }
        static final String S = "compile time";
    }

    interface I { int V = val("I.V", 1); }
    interface J { int W = val("J.W", 2); default void m() { } }
    static class Impl implements I, J { static { say("Impl"); } }

    static class Cyc1 {
        static int a = Cyc2.b + 1;
        static { say("Cyc1.a=" + a + " b=" + Cyc2.b); }
    }
    static class Cyc2 {
        static int b = Cyc1.a + 10;
        static { say("Cyc2.b=" + b); }
    }

    static class Lazy {
        static { say("Lazy"); }
        static final Lazy INSTANCE = new Lazy();
        int n = 3;
    }

    static class Fails {
        static int x = 1;
        static { say("Fails"); if (x == 1) throw new IllegalStateException("in clinit"); }
        static void m() { }
    }

    static class Forward {
        static int a = peek();
        static int b = 9;
        static int peek() { return b; }
    }

    public static void main(String[] args) throws Exception {
        say("const " + P.CONST + " " + C.S);
        P[] array = new P[2];
        say("array made " + array.length);
        Class<?> lit = C.class;
        say("literal " + lit.getSimpleName());
        Object o = args;
        say("instanceof " + (o instanceof C));
        say("through subclass " + C.plain);
        say("own " + C.own);
        C.touch();
        new Impl();
        say("J.W=" + Impl.W);
        say("I.V=" + Impl.V);
        say("cycle " + Cyc1.a + " " + Cyc2.b);
        Class.forName("Init_staticOrder$Lazy", false, Init_staticOrder.class.getClassLoader());
        say("loaded without init");
        Class.forName("Init_staticOrder$Lazy");
        say("" + Lazy.INSTANCE.n);
        for (int i = 0; i < 2; i++) {
            try {
                Fails.m();
            } catch (ExceptionInInitializerError e) {
                say("EIIE " + e.getMessage() + " cause " + e.getCause());
            } catch (NoClassDefFoundError e) {
                say("NCDFE " + e.getMessage());
            }
        }
        say(Forward.a + " " + Forward.b);
    }
}
