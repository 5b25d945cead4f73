// Classes are unloaded with their loaders, hidden classes separately (JLS 12.7), unless they may still be used.
// vm: -Xmx256m
import java.io.*;
import java.lang.invoke.*;
import java.lang.management.*;
import java.lang.ref.*;
import java.lang.reflect.*;
import java.util.*;
import java.util.concurrent.*;
import java.util.function.*;

public class Class_unloading {
    // Each loader loads another copy.
    public static class Data implements Supplier<Integer> {
        public static Object field;
        final int value;
        public Data(int value) { this.value = value; }
        public Integer get() { return value; }
    }
    public static class Plug implements IntUnaryOperator {
        public static int count;
        public int applyAsInt(int n) {
            int sum = 0;
            for (int i = 0; i < n; i++) sum += step(new Data(i));
            count += n;
            return sum;
        }
        int step(Supplier<Integer> s) { return s.get() ^ 5; }
        public static int twice(int n) { return 2 * n + Plug.class.getName().length(); }
        public static Supplier<Integer> lambda(int n) { return () -> twice(n); }
        public static RuntimeException thrown() { return new RuntimeException("from the plug"); }
        public static void waitIn(CountDownLatch in, CountDownLatch out, int[] result) {
            in.countDown();
            try { out.await(); } catch (InterruptedException e) { throw new AssertionError(e); }
            result[0] = twice(new Data(20).get());
        }
    }

    static final Map<String, byte[]> bytes = new HashMap<>();
    static class Loader extends ClassLoader {
        Loader(ClassLoader parent) { super(parent); }
        @Override protected Class<?> loadClass(String name, boolean resolve) throws ClassNotFoundException {
            synchronized (getClassLoadingLock(name)) {
                byte[] b = bytes.get(name);
                if (b == null || getParent() instanceof Loader) return super.loadClass(name, resolve);
                Class<?> c = findLoadedClass(name);
                return c != null ? c : defineClass(name, b, 0, b.length);
            }
        }
    }

    static void read(Class<?> c) throws IOException {
        try (InputStream in = c.getResourceAsStream("/" + c.getName() + ".class")) { bytes.put(c.getName(), in.readAllBytes()); }
    }
    static Class<?> plug() throws Exception { return new Loader(Class_unloading.class.getClassLoader()).loadClass("Class_unloading$Plug"); }
    static int run(Class<?> c, int n) throws Exception { return ((IntUnaryOperator) c.getConstructor().newInstance()).applyAsInt(n); }
    static MethodHandle handle(Class<?> c) throws Exception { return MethodHandles.lookup().findStatic(c, "twice", MethodType.methodType(int.class, int.class)); }
    static void collect() { for (int i = 0; i < 3; i++) System.gc(); }
    static int stir(int n) { long a = n, b = n + 1, c = n + 2; return n > 0 ? stir(n - 1) : (int) (a + b + c); }

    static int alive(List<? extends Reference<?>> refs) { int n = 0; for (Reference<?> r : refs) if (r.get() != null) n++; return n; }

    // ---- dropped ----

    static final int MANY = 75;  // the code is compiled again for each of them
    static void load(List<WeakReference<Object>> refs) throws Exception {
        int sum = 0;
        for (int i = 0; i < MANY; i++) {
            Class<?> c = plug();
            sum += run(c, i % 25 == 0 ? 3000 : 3);
            refs.add(new WeakReference<>(i % 2 == 0 ? c : c.getClassLoader()));
        }
        System.out.println(sum % (MANY / 25) == 0);
    }
    static long metaspace() {
        for (MemoryPoolMXBean p : ManagementFactory.getMemoryPoolMXBeans()) if (p.getName().equals("Metaspace")) return p.getUsage().getUsed();
        return 0;
    }
    static void dropped() throws Exception {
        ClassLoadingMXBean classes = ManagementFactory.getClassLoadingMXBean();
        List<WeakReference<Object>> refs = new ArrayList<>();
        load(refs);
        stir(200);
        collect();
        long used = metaspace();
        for (int i = 0; i < 3; i++) load(refs);
        stir(200);
        collect();
        System.out.println("few left " + (alive(refs) < 20) + " unloaded " + (classes.getUnloadedClassCount() > 7 * MANY)
                           + " sum " + (classes.getLoadedClassCount() + classes.getUnloadedClassCount() == classes.getTotalLoadedClassCount())
                           + " flat " + (metaspace() < used + (2 << 20)));
    }

    // ---- kept ----

    static final Map<String, Object> kept = new LinkedHashMap<>();
    static Object held;
    static void keep(String how, Object o, Class<?> c, Map<String, WeakReference<ClassLoader>> loaders) {
        kept.put(how, o);
        loaders.put(how, new WeakReference<>(c.getClassLoader()));
    }
    static Thread inFrame(CountDownLatch out, int[] result, Map<String, WeakReference<ClassLoader>> loaders) throws Exception {
        CountDownLatch in = new CountDownLatch(1);
        Class<?> c = plug();
        MethodHandle h = MethodHandles.lookup().findStatic(c, "waitIn", MethodType.methodType(void.class, CountDownLatch.class, CountDownLatch.class, int[].class));
        Object[] once = {h};
        Thread t = new Thread(() -> {
            MethodHandle mine = (MethodHandle) once[0];
            once[0] = null;
            try { mine.invokeExact(in, out, result); } catch (Throwable e) { throw new AssertionError(e); }
        });
        t.start();
        in.await();
        loaders.put("frame", new WeakReference<>(c.getClassLoader()));
        return t;
    }
    static void makeKept(Map<String, WeakReference<ClassLoader>> loaders) throws Exception {
        Class<?> c;
        keep("instance", (c = plug()).getConstructor().newInstance(), c, loaders);
        keep("array", Array.newInstance(c = plug(), 3), c, loaders);
        keep("arrays", Array.newInstance(c = plug(), 2, 2), c, loaders);
        keep("class", c = plug(), c, loaders);
        keep("handle", handle(c = plug()), c, loaders);
        keep("method", (c = plug()).getMethod("twice", int.class), c, loaders);
        keep("lambda", (c = plug()).getMethod("lambda", int.class).invoke(null, 4), c, loaders);
        keep("backtrace", (c = plug()).getMethod("thrown").invoke(null), c, loaders);
        Class<?> data = (c = plug()).getClassLoader().loadClass("Class_unloading$Data");
        keep("other class", data.getConstructor(int.class).newInstance(7), c, loaders);
        Class<?> user = plug();
        Class<?> userData = user.getClassLoader().loadClass("Class_unloading$Data");
        userData.getField("field").set(null, (c = plug()).getConstructor().newInstance());
        keep("static", user.getConstructor().newInstance(), c, loaders);
        c = plug();
        keep("proxy", Proxy.newProxyInstance(c.getClassLoader(), new Class<?>[] {IntUnaryOperator.class}, (p, m, a) -> 5), c, loaders);
        Loader child = new Loader((c = plug()).getClassLoader());
        if (child.loadClass("Class_unloading$Plug") != c) throw new AssertionError();
        keep("child", child, c, loaders);
        Thread t = new Thread(() -> {});
        t.setContextClassLoader((c = plug()).getClassLoader());
        keep("thread", t, c, loaders);
    }
    static void kept() throws Exception {
        Map<String, WeakReference<ClassLoader>> loaders = new LinkedHashMap<>();
        CountDownLatch out = new CountDownLatch(1);
        int[] result = new int[1];
        makeKept(loaders);
        Thread t = inFrame(out, result, loaders);
        stir(200);
        collect();
        for (var e : loaders.entrySet()) if (e.getValue().get() == null) System.out.println("lost: " + e.getKey());
        out.countDown();
        t.join();
        System.out.println("frame " + result[0]);
        System.out.println("instance " + ((IntUnaryOperator) kept.get("instance")).applyAsInt(10));
        Object array = kept.get("array");
        Array.set(array, 1, array.getClass().getComponentType().getConstructor().newInstance());
        System.out.println("array " + ((IntUnaryOperator) Array.get(array, 1)).applyAsInt(10) + " " + array.getClass().getName());
        System.out.println("arrays " + Array.get(kept.get("arrays"), 1).getClass().getName());
        System.out.println("class " + run((Class<?>) kept.get("class"), 10));
        try { System.out.println("handle " + (int) ((MethodHandle) kept.get("handle")).invokeExact(4)); } catch (Throwable e) { throw new AssertionError(e); }
        System.out.println("method " + ((Method) kept.get("method")).invoke(null, 5));
        System.out.println("lambda " + ((Supplier<?>) kept.get("lambda")).get());
        System.out.println("backtrace " + ((Throwable) kept.get("backtrace")).getStackTrace()[0].getMethodName());
        System.out.println("other class " + ((Supplier<?>) kept.get("other class")).get());
        System.out.println("proxy " + ((IntUnaryOperator) kept.get("proxy")).applyAsInt(1));
        System.out.println("child " + ((ClassLoader) kept.get("child")).loadClass("Class_unloading$Plug").getName());
        System.out.println("thread " + run(((Thread) kept.get("thread")).getContextClassLoader().loadClass("Class_unloading$Plug"), 3));
    }

    // ---- hidden classes ----

    static Class<?> hide(MethodHandles.Lookup.ClassOption... options) throws Exception {
        return MethodHandles.lookup().defineHiddenClass(bytes.get("Class_unloading$Data"), true, options).lookupClass();
    }
    @SuppressWarnings("unchecked")
    static Supplier<Integer> hiddenInstance(int n) throws Exception { return (Supplier<Integer>) hide().getConstructor(int.class).newInstance(n); }
    static void makeHidden(int n, List<WeakReference<Class<?>>> weak, List<WeakReference<Class<?>>> strong, List<Object> keep) throws Exception {
        int sum = 0;
        for (int i = 0; i < n; i++) {
            Supplier<Integer> s = hiddenInstance(i);
            for (int k = 0; k < 20; k++) sum += s.get();
            weak.add(new WeakReference<>(s.getClass()));
            if (i % 100 == 0) keep.add(i % 200 == 0 ? s : Array.newInstance(s.getClass(), 1));
            if (i % 100 == 50) strong.add(new WeakReference<>(hide(MethodHandles.Lookup.ClassOption.STRONG)));
        }
        System.out.println(sum == 10 * n * (n - 1));
    }
    static void hidden() throws Exception {
        List<WeakReference<Class<?>>> weak = new ArrayList<>(), strong = new ArrayList<>();
        List<Object> keep = new ArrayList<>();
        makeHidden(2 * MANY, weak, strong, keep);
        stir(200);
        collect();
        boolean there = true;
        for (int i = 0; i < weak.size(); i += 100) there &= weak.get(i).get() != null;
        System.out.println("hidden: kept " + there + " few left " + (alive(weak) < 30) + " strong " + (alive(strong) == strong.size()));
        for (Object o : keep) if (o instanceof Supplier<?> s && (Integer) s.get() % 200 != 0) System.out.println("changed");
    }

    // The call site below has seen receivers of classes that are unloaded.
    static int sum(Supplier<Integer> s) { return s.get(); }
    static void receivers() throws Exception {
        int total = 0;
        for (int round = 0; round < 30; round++) {
            for (int i = 0; i < 4; i++) total += sum(hiddenInstance(i));
            for (int i = 0; i < 500; i++) total += sum(() -> 1);
            if (round % 3 == 0) System.gc();
        }
        System.out.println(total);
    }

    public static void main(String[] args) throws Exception {
        read(Data.class);
        read(Plug.class);
        dropped();
        kept();
        hidden();
        receivers();
    }
}
