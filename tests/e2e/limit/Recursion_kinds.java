// Repeated stack overflow: virtual, interface, static, reflective, handles, lambdas, initialisers, synchronized.
import java.lang.invoke.*;
import java.lang.reflect.*;
import java.util.*;
import java.util.function.*;

public class Recursion_kinds {
    interface I { int f(int n); }
    static class V implements I { public int f(int n) { return f(n + 1) + 1; } synchronized int sync(int n) { return sync(n + 1) + 1; } long wide(long a, double b, long c, double d, Object e) { return wide(a + 1, b, c, d, this) + 1; } @Override public String toString() { return "x" + this; } @Override public int hashCode() { return Objects.hash(this); } V() { } V(int n) { new V(n + 1); } }
    static int stat(int n) { return stat(n + 1) + 1; }
    public static int refl(int n) throws Throwable { try { return (Integer) Recursion_kinds.class.getMethod("refl", int.class).invoke(null, n + 1); } catch (InvocationTargetException e) { throw e.getCause(); } }
    static int hand(int n) throws Throwable { return (int) H.invokeExact(n + 1) + 1; }
    static final MethodHandle H;
    static { try { H = MethodHandles.lookup().findStatic(Recursion_kinds.class, "hand", MethodType.methodType(int.class, int.class)); } catch (ReflectiveOperationException e) { throw new Error(e); } }
    static int fin(int n) { try { return fin(n + 1); } finally { cleaned++; } }
    static int cleaned;
    static IntUnaryOperator lam = x -> Recursion_kinds.lam.applyAsInt(x + 1) + 1;
    interface Op { Object run() throws Throwable; }

    public static void main(String[] args) throws Throwable {
        V v = new V();
        I i = v;
        Object monitor = new Object();
        Map<String, Op> all = new LinkedHashMap<>();
        all.put("virtual", () -> v.f(0));
        all.put("interface", () -> i.f(0));
        all.put("static", () -> stat(0));
        all.put("synchronized", () -> v.sync(0));
        all.put("wide", () -> v.wide(1, 2, 3, 4, null));
        all.put("reflective", () -> refl(0));
        all.put("handle", () -> hand(0));
        all.put("lambda", () -> lam.applyAsInt(0));
        all.put("concat", v::toString);
        all.put("hash", v::hashCode);
        all.put("constructor", () -> new V(0));
        all.put("finally", () -> fin(0));
        all.put("list in itself", () -> { List<Object> l = new ArrayList<>(); l.add(List.of(l)); return l.hashCode(); });
        all.put("proxy", () -> { I[] p = new I[1]; p[0] = (I) Proxy.newProxyInstance(I.class.getClassLoader(), new Class<?>[]{I.class}, (x, m, a) -> p[0].f(1)); return p[0].f(0); });
        for (Map.Entry<String, Op> e : all.entrySet()) {
            int overflows = 0;
            for (int k = 0; k < 3; k++) try { e.getValue().run(); } catch (StackOverflowError x) { overflows++; }
            System.out.println(e.getKey() + " " + overflows);
        }
        System.out.println(Thread.holdsLock(v) + " " + (cleaned > 100));
        int[] depth = new int[2];
        for (int k = 0; k < 2; k++) { int id = k; Thread t = new Thread(null, () -> { try { count(depth, id); } catch (StackOverflowError x) { } }, "t", k == 0 ? 256 << 10 : 8 << 20); t.start(); t.join(); }
        System.out.println((depth[0] > 500) + " " + (depth[1] > depth[0] * 5));
        Thread t = new Thread(() -> stat(0), "dies");
        t.setUncaughtExceptionHandler((x, e) -> System.out.println(x.getName() + " " + e.getClass().getSimpleName() + " " + (e.getStackTrace().length == 1024)));
        t.start();
        t.join();
    }
    static void count(int[] d, int i) { d[i]++; count(d, i); }
}
