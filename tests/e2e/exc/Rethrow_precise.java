// Rethrowing, catch order, exceptions in constructors and initialisers, sneaky throws, loops of throws.
import java.io.*;

public class Rethrow_precise {
    static class A extends Exception { A(String m) { super(m); } }
    static class B extends A { B(String m) { super(m); } }

    static void precise(int k) throws A, IOException {
        try {
            if (k == 0) throw new B("b");
            if (k == 1) throw new FileNotFoundException("f");
            if (k == 2) throw new IllegalStateException("i");
        } catch (final Exception e) {
            throw e;
        }
    }

    @SuppressWarnings("unchecked")
    static <T extends Throwable> void sneaky(Throwable t) throws T { throw (T) t; }

    static String which(int k) {
        try {
            precise(k);
            return "none";
        } catch (B e) {
            return "B" + e.getMessage();
        } catch (A e) {
            return "A" + e.getMessage();
        } catch (FileNotFoundException e) {
            return "FNF" + e.getMessage();
        } catch (IOException | RuntimeException e) {
            return e.getClass().getSimpleName() + e.getMessage();
        }
    }

    static class Ctor {
        static int made;
        final int id;
        { if (made == 1) throw new IllegalStateException("initializer"); }
        Ctor() { this(made == 2 ? bad() : 1); }
        Ctor(int x) { id = x; }
        static int bad() { throw new IllegalArgumentException("argument"); }
    }

    static int unwind(int n) throws Exception {
        if (n == 0) throw new Exception("deep");
        try {
            return unwind(n - 1);
        } catch (RuntimeException e) {
            return -1;
        }
    }

    public static void main(String[] args) throws Exception {
        for (int i = 0; i < 4; i++) System.out.print(which(i) + " ");
        System.out.println();
        try {
            Rethrow_precise.<RuntimeException>sneaky(new IOException("sneaked"));
        } catch (Exception e) {
            System.out.println(e);
        }
        for (int i = 0; i < 3; i++) {
            try {
                Ctor.made = i;
                System.out.println(new Ctor().id);
            } catch (RuntimeException e) {
                System.out.println(e.getMessage());
            }
        }
        int caught = 0;
        for (int i = 0; i < 300; i++) {
            try {
                unwind(50);
            } catch (Exception e) {
                caught += e.getMessage().length() + (i % 100 == 0 ? e.getStackTrace().length : 0);
            }
        }
        System.out.println(caught);
        Throwable pre = new Throwable("reused");
        int same = 0;
        for (int i = 0; i < 100; i++) {
            try {
                throw pre;
            } catch (Throwable t) {
                if (t == pre) same++;
            }
        }
        System.out.println(same);
        Throwable f = new Throwable();
        int before = f.getStackTrace()[0].getLineNumber();
        f.fillInStackTrace();
        System.out.println(new Throwable().getStackTrace()[0].getLineNumber() - before);
        try {
            try {
                throw new A("first");
            } finally {
                Object o = null;
                o.hashCode();
            }
        } catch (NullPointerException e) {
            System.out.println("second replaces first " + e.getSuppressed().length);
        }
    }
}
