// exit: 1
// The program ends with an uncaught exception while frames are active.
public class Uncaught_main {
    static class Res implements AutoCloseable { final int k; Res(int k) { this.k = k; } @Override public void close() { closed(k); } static void closed(int k) { System.out.println("closed " + k); } }
    static int nest(int k) {
        try (Res r = new Res(k)) {
            if (k == 4) throw failure("bottom");
            return nest(k + 1);
        }
    }
    static IllegalStateException failure(String s) { return new IllegalStateException(s) { @Override public String getMessage() { return "custom " + super.getMessage(); } }; }
    public static void main(String[] args) {
        for (int i = 0; i < 3; i++) try { nest(2); } catch (IllegalStateException e) { System.out.println(e.getMessage()); }
        nest(0);
    }
}
