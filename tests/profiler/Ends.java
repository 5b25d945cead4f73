// For tests/run/profiles.py: makes a known number of calls and then ends as its argument says.
import java.lang.ref.Reference;
import java.util.concurrent.CountDownLatch;
import java.util.function.IntUnaryOperator;

public class Ends {
    static class Initialized {
        static int value = make();
        static int make() { return 4; }
    }

    static class Finalized {
        static volatile int finalized;
        @Override protected void finalize() { finalized++; }
    }

    static final CountDownLatch spinning = new CountDownLatch(3);
    static long counted;

    static int work(int n) { return n * 3; }

    static void spin() {
        spinning.countDown();
        while (true) work(1);
    }

    static void deep() {
        counted++;
        deep();
    }

    static void boom() { throw new IllegalStateException("boom"); }

    static void hook() { }

    public static int reflected(int n) { return work(n); }

    static int apply(IntUnaryOperator f) { return f.applyAsInt(1) + f.applyAsInt(2); }

    static void ready() {
        System.out.println("ready");
        System.out.flush();
    }

    static void daemons() throws Exception {
        for (int i = 0; i < 3; i++) {
            Thread t = new Thread(Ends::spin, "spin-" + i);
            t.setDaemon(true);
            t.start();
        }
        spinning.await();
    }

    static void threads() throws Exception {
        Thread[] all = new Thread[6];
        for (int i = 0; i < all.length; i++) {
            int calls = 1000 * (i + 1);
            all[i] = new Thread(() -> {
                for (int k = 0; k < calls; k++) work(k);
            }, "worker " + calls);
            all[i].start();
        }
        for (Thread t : all) t.join();
    }

    static void many() throws Exception {
        for (int i = 0; i < 700; i++) {
            Thread t = new Thread(() -> work(1));
            t.start();
            t.join();
        }
    }

    static void racing() throws Exception {
        for (int i = 0; i < 4; i++)
            new Thread(() -> {
                while (true) System.exit(5);
            }).start();
        Thread.sleep(60000);
    }

    static void callers() throws Exception {
        work(Initialized.value);
        apply(x -> work(x));
        Ends.class.getMethod("reflected", int.class).invoke(null, 5);
        new Finalized();
        for (int i = 0; i < 3000 && Finalized.finalized == 0; i++) {
            System.gc();
            Thread.sleep(10);
        }
    }

    public static class Unloaded {
        public static int field;
        static int inner(int n) { return 3 * n; }
        public static int called(int n) { return field += inner(n); }
    }

    static class Loader extends ClassLoader {
        Class<?> load() throws Exception {
            String name = "Ends$Unloaded";
            byte[] b = Ends.class.getResourceAsStream(name + ".class").readAllBytes();
            return defineClass(name, b, 0, b.length);
        }
    }

    static void load() throws Exception {
        for (int i = 0; i < 20; i++) {
            var called = new Loader().load().getMethod("called", int.class);
            for (int k = 0; k < 10; k++) called.invoke(null, k);
        }
    }

    static void unload() throws Exception {
        load();
        load();
        for (int i = 0; i < 3; i++) System.gc();
        load();
        System.out.println(java.lang.management.ManagementFactory.getClassLoadingMXBean().getUnloadedClassCount() > 30);
    }

    public static void main(String[] args) throws Exception {
        for (int i = 0; i < 1000; i++) work(i);
        switch (args[0]) {
        case "return": break;
        case "exit": System.exit(7);
        case "halt": Runtime.getRuntime().halt(8);
        case "uncaught": boom();
        case "sleep": ready(); Thread.sleep(60000); break;
        case "spin": ready(); spin();
        case "hooks":
            Runtime.getRuntime().addShutdownHook(new Thread(() -> {
                for (int i = 0; i < 5; i++) hook();
            }));
            ready();
            Thread.sleep(60000);
            break;
        case "daemons": daemons(); break;
        case "threads": threads(); break;
        case "many": many(); break;
        case "racing": racing(); break;
        case "callers": callers(); break;
        case "unload": unload(); break;
        case "overflow":
            for (int i = 0; i < 3; i++) {
                try {
                    deep();
                } catch (StackOverflowError e) {
                    System.out.println("overflow");
                }
            }
            System.out.println(counted);
            break;
        default: throw new IllegalArgumentException(args[0]);
        }
    }
}
