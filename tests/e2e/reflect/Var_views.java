// VarHandles over arrays, byte arrays and buffers: orders, alignment, access modes, coordinates, read-only views.
import java.lang.invoke.*;
import java.nio.*;
import java.util.*;

public class Var_views {
    interface Op { Object run() throws Throwable; }
    static void t(String what, Op o) { try { System.out.println(what + ": " + o.run()); } catch (Throwable e) { System.out.println(what + ": " + e.getClass().getSimpleName() + " " + String.valueOf(e.getMessage()).replaceAll("@[0-9a-f]+", "@")); } }
    volatile int v; final String f = "final"; static long s; boolean z; byte b; char c; float fl; double d;

    public static void main(String[] args) throws Throwable {
        MethodHandles.Lookup l = MethodHandles.lookup();
        VarHandle big = MethodHandles.byteArrayViewVarHandle(int[].class, ByteOrder.BIG_ENDIAN), little = MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.LITTLE_ENDIAN), buf = MethodHandles.byteBufferViewVarHandle(short[].class, ByteOrder.BIG_ENDIAN), ia = MethodHandles.arrayElementVarHandle(int[].class), sa = MethodHandles.arrayElementVarHandle(String[].class);
        byte[] bytes = new byte[24];
        big.set(bytes, 1, 0x01020304);
        little.set(bytes, 9, 0x1122334455667788L);
        System.out.println(HexFormat.of().formatHex(bytes) + " " + Integer.toHexString((int) big.get(bytes, 0)) + " " + Long.toHexString((long) little.get(bytes, 8)));
        t("beyond", () -> (int) big.get(bytes, 21));
        t("negative", () -> (int) big.get(bytes, -1));
        t("unaligned volatile", () -> { for (int i = 0; i < 4; i++) { try { big.getVolatile(bytes, i); } catch (IllegalStateException e) { return "refused"; } } return "all fine"; });
        ByteBuffer bb = ByteBuffer.allocateDirect(8);
        buf.set(bb, 2, (short) 0x7788);
        System.out.println(bb.get(2) + " " + buf.getVolatile(bb, 2));
        t("read only", () -> { buf.set(bb.asReadOnlyBuffer(), 0, (short) 1); return 0; });
        int[] arr = {1, 2, 3};
        System.out.println((int) ia.getAndAdd(arr, 1, 10) + " " + ia.compareAndSet(arr, 0, 1, 9) + " " + (int) ia.compareAndExchange(arr, 2, 5, 6) + " " + (int) ia.getAndBitwiseOr(arr, 2, 8) + " " + (int) ia.getAndBitwiseXor(arr, 2, 1) + " " + (int) ia.getAndBitwiseAnd(arr, 2, 7) + " " + Arrays.toString(arr));
        t("array bounds", () -> (int) ia.get(arr, 3));
        t("array null", () -> (int) ia.get((int[]) null, 0));
        String[] ss = {"a", null};
        System.out.println((String) sa.getAndSet(ss, 0, "b") + " " + sa.compareAndSet(ss, 1, null, "c") + " " + Arrays.toString(ss) + " " + sa.isAccessModeSupported(VarHandle.AccessMode.GET_AND_ADD));
        t("string add", () -> sa.getAndAdd(ss, 0, "x"));
        t("wrong store", () -> { Object[] os = new String[1]; MethodHandles.arrayElementVarHandle(Object[].class).set(os, 0, 5); return 0; });
        VarHandle v = l.findVarHandle(Var_views.class, "v", int.class), f = l.findVarHandle(Var_views.class, "f", String.class), s = l.findStaticVarHandle(Var_views.class, "s", long.class);
        Var_views o = new Var_views();
        t("final", () -> { f.set(o, "x"); return 0; });
        t("final get", () -> f.get(o) + " " + (String) f.getVolatile(o));
        t("wrong type", () -> { v.set(o, "x"); return 0; });
        t("wrong object", () -> { v.set("x", 1); return 0; });
        t("null object", () -> { v.set((Var_views) null, 1); return 0; });
        t("exact", () -> { VarHandle x = s.withInvokeExactBehavior(); x.set(5); return 0; });
        t("not exact", () -> { s.set(5); return s.get() + " " + (long) s.getAndAdd(3) + " " + s.getOpaque() + " " + s.getAcquire(); });
        t("missing", () -> l.findVarHandle(Var_views.class, "none", int.class));
        t("static as instance", () -> l.findVarHandle(Var_views.class, "s", long.class));
        for (String n : "z b c fl d".split(" ")) {
            VarHandle h = l.findVarHandle(Var_views.class, n, Var_views.class.getDeclaredField(n).getType());
            System.out.println(n + " " + h.varType() + " " + h.coordinateTypes().size() + " " + h.isAccessModeSupported(VarHandle.AccessMode.GET_AND_ADD) + h.isAccessModeSupported(VarHandle.AccessMode.GET_AND_BITWISE_OR) + h.isAccessModeSupported(VarHandle.AccessMode.COMPARE_AND_SET) + " " + h.accessModeType(VarHandle.AccessMode.COMPARE_AND_EXCHANGE));
        }
        VarHandle d = l.findVarHandle(Var_views.class, "d", double.class), z = l.findVarHandle(Var_views.class, "z", boolean.class), b = l.findVarHandle(Var_views.class, "b", byte.class), c = l.findVarHandle(Var_views.class, "c", char.class);
        System.out.println((double) d.getAndAdd(o, 1.5) + " " + d.compareAndSet(o, 1.5, Double.NaN) + " " + d.compareAndSet(o, Double.NaN, 2.0) + " " + (boolean) z.getAndBitwiseOr(o, true) + o.z + " " + (byte) b.getAndAdd(o, (byte) 127) + (byte) b.getAndAdd(o, (byte) 1) + o.b + " " + (int) (char) c.getAndAdd(o, (char) 65535) + (int) o.c);
        System.out.println(ia.toMethodHandle(VarHandle.AccessMode.GET).type() + " " + (int) ia.toMethodHandle(VarHandle.AccessMode.GET).invoke(arr, 1));
        VarHandle.fullFence();
    }
}
