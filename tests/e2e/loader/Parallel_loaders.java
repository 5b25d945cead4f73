// Parallel-capable loaders: registration, lock objects, many threads, equal and different names, mutual delegation.
import java.util.*;
import java.util.concurrent.*;
import java.util.concurrent.atomic.*;

public class Parallel_loaders {
    static class Par extends ClassLoader {
        static final boolean REGISTERED = registerAsParallelCapable();
        final AtomicInteger finds = new AtomicInteger();
        Object lockOf(String n) { return getClassLoadingLock(n); }
        @Override protected Class<?> findClass(String n) throws ClassNotFoundException {
            finds.incrementAndGet();
            Thread.yield();
            byte[] b = Class_writer.plain(n.replace('.', '/')).bytes();
            return defineClass(n, b, 0, b.length);
        }
    }
    static class Seq extends ClassLoader { Object lockOf(String n) { return getClassLoadingLock(n); } }
    static class SubPar extends Par { }
    static class Cross extends ClassLoader {
        static { registerAsParallelCapable(); }
        Cross other;
        final String own;
        Cross(String own) { this.own = own; }
        @Override protected Class<?> loadClass(String n, boolean r) throws ClassNotFoundException {
            if (n.startsWith("java.")) return super.loadClass(n, r);
            if (!n.startsWith(own)) return other.loadClass(n, r);
            synchronized (getClassLoadingLock(n)) {
                Class<?> c = findLoadedClass(n);
                if (c != null) return c;
                String parent = n.length() > 6 ? "java/lang/Object" : (own.equals("a") ? "b" : "a") + n.substring(1) + "x";
                byte[] b = new Class_writer(52, 33, n, parent).bytes();
                return defineClass(n, b, 0, b.length);
            }
        }
    }

    public static void main(String[] args) throws Exception {
        Par p = new Par();
        System.out.println(Par.REGISTERED + " " + p.isRegisteredAsParallelCapable() + " " + new Seq().isRegisteredAsParallelCapable() + " " + new SubPar().isRegisteredAsParallelCapable());
        System.out.println((p.lockOf("x") == p) + " " + (p.lockOf("x") == p.lockOf("x")) + " " + (p.lockOf("x") == p.lockOf("y")) + " " + (new Seq().lockOf("x") instanceof Seq));
        ExecutorService e = Executors.newFixedThreadPool(8);
        List<Future<Class<?>>> fs = new ArrayList<>();
        for (int i = 0; i < 80; i++) { int k = i % 10; fs.add(e.submit(() -> p.loadClass("par.C" + k))); }
        Set<Class<?>> distinct = new HashSet<>();
        for (Future<Class<?>> f : fs) distinct.add(f.get());
        System.out.println(distinct.size() + " " + p.finds.get());
        Cross a = new Cross("a"), b = new Cross("b");
        a.other = b;
        b.other = a;
        List<Future<Class<?>>> gs = new ArrayList<>();
        for (int i = 0; i < 40; i++) { int k = i; gs.add(e.submit(() -> (k % 2 == 0 ? a : b).loadClass((k % 2 == 0 ? "a" : "b") + k / 4))); }
        int depth = 0;
        for (Future<Class<?>> f : gs) for (Class<?> c = f.get(1, TimeUnit.MINUTES); c != null; c = c.getSuperclass()) depth++;
        System.out.println(depth);
        // duplicate definition under contention: one wins, the others get LinkageError
        Class_writer.Loader raw = new Class_writer.Loader();
        AtomicInteger ok = new AtomicInteger(), dup = new AtomicInteger();
        CountDownLatch all = new CountDownLatch(8);
        for (int i = 0; i < 8; i++) e.submit(() -> { try { raw.define(Class_writer.plain("dup/D").bytes()); ok.incrementAndGet(); } catch (LinkageError x) { dup.incrementAndGet(); } all.countDown(); });
        all.await();
        System.out.println(ok + " " + dup);
        e.shutdown();
    }
}
