import java.io.InputStream;

// Loaders that fail to define a class, because its superclass is missing, and become garbage. Argument: their number.
public class Undefined {
    static class Base {}
    static class Sub extends Base {}

    static class Failing extends ClassLoader {
        final byte[] sub;

        Failing(byte[] sub) {
            super(null);
            this.sub = sub;
        }

        boolean fails() {
            try {
                defineClass("Undefined$Sub", sub, 0, sub.length);
                return false;
            } catch (NoClassDefFoundError e) {
                return true;
            }
        }
    }

    public static void main(String[] args) throws Exception {
        byte[] sub;
        try (InputStream in = Undefined.class.getResourceAsStream("Undefined$Sub.class")) { sub = in.readAllBytes(); }
        int failed = 0;
        Object[] filling = new Object[1000];
        for (int i = 0; i < Integer.parseInt(args[0]); i++) {
            if (new Failing(sub).fails()) failed++;
            if (i % 20 == 19) System.gc();
        }
        for (int round = 0; round < 3; round++) {
            System.gc();
            for (int i = 0; i < filling.length; i++) filling[i] = new long[i];
        }
        System.out.println(failed);
    }
}
