// Fills most of the heap with one array at a time, each dead when the next is made, through every entry into Java that
// a native or the VM uses. Also an OutOfMemoryError after which the contents of the heap are dropped. For -Xmx512m, and
// for -Xmx64m with the argument "full".
import java.lang.invoke.*;
import java.lang.ref.*;
import java.lang.reflect.*;
import java.util.*;
import java.util.function.*;

public class Dead_arrays {
    static int length = 33_554_432, sum;

    interface Maker { Object make() throws Throwable; }

    public static Object passed(Object a, Object b, int n) { return n > 0 ? a : b; }
    public static class Holder {
        final long[] held;
        public Holder(long[] a) { held = a; }
    }

    static void four(String name, Maker m) throws Throwable {
        for (int i = 0; i < 4; i++) {
            Object made = m.make();
            sum += made instanceof Holder h ? h.held.length : ((long[]) made).length;
        }
        System.out.println(name);
    }

    static List<Object> list = new ArrayList<>();
    static void fill() {
        for (int size = 1 << 20; ; ) {
            try {
                list.add(new byte[size]);
            } catch (OutOfMemoryError e) {
                if (size <= 4096) throw e;
                size /= 4;
            }
        }
    }
    static void full() {
        for (int i = 0; i < 3; i++) {
            int n = 0;
            try {
                fill();
            } catch (OutOfMemoryError e) {
                n = list.size();
                list = new ArrayList<>();
                long[] a = new long[5_000_000];
                sum += a.length + n;
            }
        }
        System.out.println("full");
    }
    // Its own garbage, and a thread that reads a reference until it is cleared.
    static void spin() throws Exception {
        ReferenceQueue<Object> queue = new ReferenceQueue<>();
        WeakReference<Object> r = new WeakReference<>(new int[10]);
        PhantomReference<Object> p = new PhantomReference<>(new int[10], queue);
        Thread t = new Thread(() -> { while (r.get() != null) Thread.onSpinWait(); });
        t.setDaemon(true);
        t.start();
        for (int i = 0; i < 200 && t.isAlive(); i++) {
            System.gc();
            t.join(10);
        }
        System.out.println("spins " + t.isAlive() + ", queued " + (queue.remove(5000) == p));
    }

    public static void main(String[] args) throws Throwable {
        if (args.length > 0) {
            full();
            return;
        }
        Method clone = Object.class.getDeclaredMethod("clone"), passed = Dead_arrays.class.getMethod("passed", Object.class, Object.class, int.class);
        Constructor<Holder> holder = Holder.class.getConstructor(long[].class);
        MethodHandle handle = MethodHandles.lookup().findStatic(Dead_arrays.class, "passed",
            MethodType.methodType(Object.class, Object.class, Object.class, int.class));
        IntFunction<long[]> lambda = long[]::new;
        spin();
        four("new", () -> new long[length]);
        four("Array.newInstance", () -> Array.newInstance(long.class, length));
        four("Method.invoke", () -> passed.invoke(null, new long[length], null, 1));
        four("newInstance", () -> holder.newInstance(new long[length]));
        four("handle", () -> handle.invoke((Object) new long[length], (Object) null, 1));
        four("lambda", () -> lambda.apply(length));
        four("copyOf", () -> Arrays.copyOf(new long[1], length));
        System.out.println("sum " + (sum != 0));
    }
}
