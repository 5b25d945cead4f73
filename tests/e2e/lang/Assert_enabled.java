// vm: -ea
// Assertions switched on for the application.
public class Assert_enabled {
    static int evaluated;
    static boolean check(boolean b) { evaluated++; return b; }

    static class Nested {
        static boolean on() {
            boolean on = false;
            assert on = true;
            return on;
        }
    }

    public static void main(String[] args) {
        assert check(true);
        try {
            assert check(false) : "detail " + evaluated;
            System.out.println("not reached");
        } catch (AssertionError e) {
            System.out.println(e.getMessage());
        }
        try {
            assert check(false) : new IllegalStateException("cause");
        } catch (AssertionError e) {
            System.out.println(e.getMessage() + " / " + e.getCause());
        }
        try {
            assert check(false);
        } catch (AssertionError e) {
            System.out.println(e.getMessage());
        }
        System.out.println(evaluated + " " + Nested.on() + " " + Assert_enabled.class.desiredAssertionStatus());
    }
}
