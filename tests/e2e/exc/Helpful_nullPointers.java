// Helpful NullPointerException messages (JEP 358) for the common shapes of expressions.
public class Helpful_nullPointers {
    int f;
    int[] arr;
    Helpful_nullPointers next;
    static Helpful_nullPointers st;
    Helpful_nullPointers self() { return next; }
    static String s(Object o) { return null; }
    interface Body { Object run(); }

    static void t(Body b) {
        try {
            System.out.println(b.run());
        } catch (NullPointerException e) {
            System.out.println(e.getMessage());
        }
    }

    public static void main(String[] args) {
        t(new Body() { public Object run() { Helpful_nullPointers x = null; return x.f; } });
        t(new Body() { public Object run() { return st.f; } });
        t(new Body() { public Object run() { return st.next.f; } });
        t(new Body() { public Object run() { Helpful_nullPointers x = new Helpful_nullPointers(); return x.next.arr[3]; } });
        t(new Body() { public Object run() { Helpful_nullPointers x = new Helpful_nullPointers(); return x.arr[3]; } });
        t(new Body() { public Object run() { Helpful_nullPointers x = new Helpful_nullPointers(); x.arr[3] = 5; return 0; } });
        t(new Body() { public Object run() { Helpful_nullPointers x = new Helpful_nullPointers(); return x.arr.length; } });
        t(new Body() { public Object run() { Helpful_nullPointers x = new Helpful_nullPointers(); return x.self().self(); } });
        t(new Body() { public Object run() { return s("a").length(); } });
        t(new Body() { public Object run() { Object[][] a = new Object[2][]; int i = 1; return a[i][0]; } });
        t(new Body() { public Object run() { Integer i = null; return i + 1; } });
        t(new Body() { public Object run() { RuntimeException e = null; throw e; } });
        t(new Body() { public Object run() { Object o = null; synchronized (o) { return 1; } } });
        t(new Body() { public Object run() { st.f = 3; return 1; } });
        t(new Body() { public Object run() { throw new NullPointerException(); } });
        t(new Body() { public Object run() { throw new NullPointerException("own"); } });
    }
}
