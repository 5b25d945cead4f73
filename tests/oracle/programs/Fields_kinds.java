// Field accesses of every type and kind: inherited, shadowed, static, in interfaces, in initialisers, failing.
import java.lang.invoke.*;

public class Fields_kinds {
    interface Constants { Object SHARED = new Object(); int[] TABLE = {1, 2, 3}; }
    static class Base implements Constants {
        boolean z; byte b; char c; short s; int i; long j; float f; double d; Object l; int[] a;
        static long total; static volatile double sum;
        int hidden = 1;
        Base() { hidden++; }
    }
    static class Derived extends Base {
        int hidden = 2;
        final int last;
        volatile int turns;
        Derived(int n) { last = n; }
        int both() { return hidden + super.hidden + ((Base) this).hidden; }
        class Inner { int outer() { return last + turns; } }
    }
    static class Broken { static int value = 1; static { if (value > 0) throw new IllegalStateException(); } }
    enum Colour { RED, GREEN; int used; }
    record Point(int x, int y) { int sum() { return x + y; } }

    static void all(Base o, int n) {
        o.z = n % 2 == 0; o.b = (byte) n; o.c = (char) n; o.s = (short) n; o.i += n; o.j += o.i; o.f = n; o.d += o.f;
        o.l = o.a = Constants.TABLE;
        if (o.z || o.b > 3 || o.c == 5 || o.s < 0) Base.total += o.j; else Base.sum += o.d;
    }

    static int failures(Base o) {
        int failed = 0;
        for (int n = 0; n < 5; n++) {
            try { o.i++; } catch (NullPointerException e) { failed++; }
            try { o.l = n; } catch (NullPointerException e) { failed++; }
            try { failed += Broken.value; } catch (ExceptionInInitializerError | NoClassDefFoundError e) { failed++; }
            try { failed += o.a.length; } catch (NullPointerException e) { failed++; }
        }
        return failed;
    }

    public static void main(String[] args) throws Throwable {
        Derived d = new Derived(7);
        for (int n = 0; n < 3000; n++) all(n % 3 == 0 ? d : new Base(), n);
        Derived.Inner inner = d.new Inner();
        int sum = 0;
        for (int n = 0; n < 2500; n++) { d.turns++; sum += d.both() + inner.outer(); }
        for (int n = 0; n < 100; n++) Colour.values()[n % 2].used += n;
        Point p = new Point(3, 4), q = new Point(3, 4);
        sum += p.sum() + p.hashCode() + (p.equals(q) ? 1 : 0);
        // Neither counts, because no field bytecode makes the access.
        VarHandle turns = MethodHandles.lookup().findVarHandle(Derived.class, "turns", int.class);
        for (int n = 0; n < 50; n++) turns.getAndAdd(d, 1);
        Derived.class.getDeclaredField("hidden").setInt(d, 12);
        System.out.println(sum + " " + Base.total + " " + Base.sum + " " + failures(null) + " " + failures(d) + " "
            + d.turns + " " + (Derived.SHARED == Constants.SHARED) + " " + Colour.GREEN.used);
    }
}
