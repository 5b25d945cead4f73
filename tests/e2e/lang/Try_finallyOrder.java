// try/catch/finally: return overriding, nested finally, breaks and continues out of finally.
public class Try_finallyOrder {
    static StringBuilder log = new StringBuilder();
    static int note(String s, int v) { log.append(s).append(' '); return v; }

    @SuppressWarnings("finally")
    static int overridden() {
        try { return note("try", 1); } finally { return note("finally", 2); }
    }

    static int keeps() {
        int x = 1;
        try { return x; } finally { x = 50; note("x" + x, 0); }
    }

    static int[] keepsReference() {
        int[] x = {1};
        try { return x; } finally { x[0] = 50; }
    }

    @SuppressWarnings("finally")
    static String swallows() {
        try { throw new RuntimeException("lost"); } finally { return "swallowed"; }
    }

    static String nested(int how) {
        StringBuilder s = new StringBuilder();
        try {
            try {
                s.append("a");
                if (how == 1) throw new IllegalStateException("one");
                if (how == 2) throw new Error("two");
                s.append("b");
            } catch (IllegalStateException e) {
                s.append("c");
                if (how == 1) throw new IllegalArgumentException("from catch");
            } finally {
                s.append("d");
            }
            s.append("e");
        } catch (IllegalArgumentException | Error e) {
            s.append("[").append(e.getMessage()).append("]");
        } finally {
            s.append("f");
        }
        return s.toString();
    }

    @SuppressWarnings("finally")
    static int loops() {
        int total = 0;
        outer:
        for (int i = 0; i < 6; i++) {
            for (int j = 0; ; j++) {
                try {
                    if (j == 2) continue outer;
                    if (i == 4) break outer;
                    if (i == 2) throw new RuntimeException();
                    total += 1;
                } catch (RuntimeException e) {
                    total += 100;
                    break;
                } finally {
                    total += 1000;
                    if (i == 3) continue outer;
                }
            }
        }
        return total;
    }

    static long wide(boolean fail) {
        long a = 1L << 40;
        double d = 0.5;
        try {
            if (fail) throw new Exception("x");
            return a;
        } catch (Exception e) {
            a += 2;
            return a + (long) d;
        } finally {
            log.append(a).append(' ');
        }
    }

    static int depth(int n) {
        try {
            if (n == 0) throw new ArithmeticException("bottom");
            return depth(n - 1) + 1;
        } finally {
            if (n % 10 == 0) log.append(n).append(',');
        }
    }

    public static void main(String[] args) {
        System.out.println(overridden() + " " + log); log.setLength(0);
        System.out.println(keeps() + " " + log); log.setLength(0);
        System.out.println(keepsReference()[0] + " " + swallows());
        System.out.println(nested(0) + " " + nested(1) + " " + nested(2));
        System.out.println(loops());
        System.out.println(wide(false) + " " + wide(true) + " " + log); log.setLength(0);
        try {
            depth(35);
        } catch (ArithmeticException e) {
            System.out.println(e.getMessage() + " " + log);
        }
    }
}
