// NoClassDefFoundError, ExceptionInInitializerError, ClassNotFoundException and their messages and causes.
public class Linkage_errors {
    static class Bad {
        static final int V = compute();
        static int compute() { throw new IllegalStateException("no value"); }
        static void touch() { }
    }
    static class BadError { static { if (true) throw new LinkageError("as is"); } static void touch() { } }
    static class Child extends Bad { static void own() { } }

    interface Body { void run() throws Throwable; }

    static void t(Body b) {
        try {
            b.run();
            System.out.println("fine");
        } catch (Throwable e) {
            System.out.println(e);
            for (Throwable c = e.getCause(); c != null; c = c.getCause()) System.out.println("  cause " + c);
        }
    }

    public static void main(String[] args) {
        t(() -> Bad.touch());
        t(() -> Bad.touch());
        t(() -> new Bad());
        t(() -> Child.own());
        t(() -> Class.forName("Linkage_errors$Bad"));
        t(() -> BadError.touch());
        t(() -> BadError.touch());
        t(() -> Class.forName("no.such.Class"));
        t(() -> Class.forName("no/such/Class"));
        t(() -> Class.forName("[Lno.such.Class;"));
        t(() -> Class.forName("int"));
        t(() -> Class.forName(""));
        t(() -> Class.forName("[I"));
        t(() -> Class.forName("[[Ljava.lang.String;"));
        t(() -> Linkage_errors.class.getClassLoader().loadClass("[I"));
        t(() -> Linkage_errors.class.getDeclaredMethod("nope"));
        t(() -> Linkage_errors.class.getDeclaredField("nope"));
        t(() -> Linkage_errors.class.getDeclaredConstructor(int.class));
        t(() -> Class.forName("Linkage_errors$Body").getDeclaredConstructor());
        t(() -> Number.class.getDeclaredConstructor().newInstance());
        t(() -> {
            try {
                System.loadLibrary("nosuchlibrary");
            } catch (UnsatisfiedLinkError e) {
                System.out.println(e.getMessage().split(":")[0]);
            }
        });
        t(() -> System.load("relative"));
    }
}
