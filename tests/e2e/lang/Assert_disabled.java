// Assertions are off by default, and their operands are not evaluated.
public class Assert_disabled {
    static int evaluated;

    public static void main(String[] args) {
        assert evaluated++ > 100 : "never";
        System.out.println(evaluated + " " + Assert_disabled.class.desiredAssertionStatus());
        ClassLoader.getSystemClassLoader().setClassAssertionStatus("Assert_disabled$Late", true);
        System.out.println(Late.on);
    }

    static class Late {
        static boolean on;
        static { assert on = true; }
    }
}
