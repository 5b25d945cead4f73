// Stale references in a thread's stack keep nothing alive: locals of a popped frame under the next frame's unset
// locals, and operands beyond the top of the stack, in a thread that polls a WeakReference in a loop.
import java.lang.ref.*;

public class Dead_locals {
    static final WeakReference<?>[] refs = new WeakReference<?>[8];

    static void fill() {
        for (int i = 0; i < refs.length; i++) {
            Object a = new byte[100 + i], b = a, c = a, d = b, e = c, f = d;
            refs[i] = new WeakReference<>(f == e ? a : b);
        }
    }

    static int cleared() {
        Object a, b, c, d, e, f;  // in the slots of fill's locals
        int n = 0;
        for (int i = 0; i < 3; i++) System.gc();
        for (WeakReference<?> r : refs) if (r.get() == null) n++;
        a = b = c = d = e = f = null;
        return n;
    }

    static WeakReference<Object> make() { return new WeakReference<>(new int[3]); }

    static void spin(WeakReference<Object> r) { while (r.get() != null) Thread.onSpinWait(); }

    public static void main(String[] args) throws Exception {
        fill();
        System.out.println("cleared " + cleared());
        WeakReference<Object> r = make();
        Thread t = new Thread(() -> spin(r));
        t.setDaemon(true);
        t.start();
        for (int i = 0; i < 100 && t.isAlive(); i++) {
            System.gc();
            t.join(10);
        }
        System.out.println("spins " + t.isAlive());
    }
}
