// VarHandles over fields, statics, arrays and byte views: every access mode and type.
import java.lang.invoke.*;
import java.nio.*;
import java.util.*;

public class Var_handles {
    int i = 1; long l = 2; volatile Object o = "o"; boolean z; byte b; short s; char c; float f; double d;
    static int si = 10;
    final int fin = 3;

    interface Body { Object run() throws Throwable; }
    static void t(Body b) {
        try {
            System.out.println(b.run());
        } catch (Throwable e) {
            System.out.println(e.getClass().getSimpleName() + ": " + (e.getMessage() + "").replaceAll("@[0-9a-f]+", "@"));
        }
    }

    public static void main(String[] args) throws Throwable {
        MethodHandles.Lookup k = MethodHandles.lookup();
        Var_handles v = new Var_handles();
        VarHandle vi = k.findVarHandle(Var_handles.class, "i", int.class), vl = k.findVarHandle(Var_handles.class, "l", long.class), vo = k.findVarHandle(Var_handles.class, "o", Object.class), vs = k.findStaticVarHandle(Var_handles.class, "si", int.class);
        vi.set(v, 5);
        System.out.println((int) vi.get(v) + " " + vi.compareAndSet(v, 5, 6) + " " + vi.compareAndSet(v, 5, 7) + " " + (int) vi.getAndAdd(v, 10) + " " + (int) vi.getAndSet(v, 100) + " " + (int) vi.getAndBitwiseOr(v, 3) + " " + (int) vi.getAndBitwiseAnd(v, 6) + " " + (int) vi.getAndBitwiseXor(v, 1) + " " + (int) vi.compareAndExchange(v, 103 & 6 ^ 1, 9) + " " + v.i);
        vi.setVolatile(v, 20); vi.setOpaque(v, 21); vi.setRelease(v, 22);
        System.out.println((int) vi.getVolatile(v) + " " + (int) vi.getAcquire(v) + " " + (int) vi.getOpaque(v) + " " + vi.weakCompareAndSetPlain(v, 1, 2) + " " + (int) vi.getAndAddAcquire(v, 1) + (int) vi.getAndAddRelease(v, 1));
        System.out.println((long) vl.getAndAdd(v, 1L << 40) + " " + v.l + " " + vl.compareAndSet(v, v.l, 7L) + " " + (long) vl.getAndSetRelease(v, 8L));
        System.out.println(vo.compareAndSet(v, "o", "p") + " " + vo.getAndSet(v, null) + " " + vo.get(v) + " " + vo.compareAndExchange(v, null, 5) + " " + v.o);
        vs.set(11);
        System.out.println((int) vs.getAndAdd(5) + " " + si);
        for (String n : "z b s c f d".split(" ")) {
            VarHandle x = k.findVarHandle(Var_handles.class, n, Var_handles.class.getDeclaredField(n).getType());
            System.out.print(x.varType() + " " + x.coordinateTypes().size() + x.isAccessModeSupported(VarHandle.AccessMode.GET_AND_ADD) + x.isAccessModeSupported(VarHandle.AccessMode.COMPARE_AND_SET) + " ");
        }
        System.out.println();
        VarHandle vz = k.findVarHandle(Var_handles.class, "z", boolean.class), vb = k.findVarHandle(Var_handles.class, "b", byte.class), vc = k.findVarHandle(Var_handles.class, "c", char.class), vd = k.findVarHandle(Var_handles.class, "d", double.class), vf = k.findVarHandle(Var_handles.class, "f", float.class), vsh = k.findVarHandle(Var_handles.class, "s", short.class);
        System.out.println(vz.compareAndSet(v, false, true) + " " + v.z + " " + (byte) vb.getAndAdd(v, (byte) 200) + " " + (byte) vb.getAndAdd(v, (byte) 100) + " " + v.b + " " + (char) vc.getAndSet(v, 'x') + 0 + " " + vc.compareAndSet(v, 'x', 'y') + v.c + " " + (double) vd.getAndAdd(v, 1.5) + v.d + " " + vf.compareAndSet(v, 0f, 2f) + v.f + " " + (short) vsh.getAndBitwiseOr(v, (short) -2) + v.s);
        VarHandle ia = MethodHandles.arrayElementVarHandle(int[].class), sa = MethodHandles.arrayElementVarHandle(String[].class), ba = MethodHandles.arrayElementVarHandle(byte[].class);
        int[] arr = {1, 2, 3};
        String[] strs = {"a", "b"};
        ia.set(arr, 1, 20);
        sa.set(strs, 0, "A");
        System.out.println((int) ia.getAndAdd(arr, 2, 5) + Arrays.toString(arr) + sa.compareAndSet(strs, 1, "b", "B") + Arrays.toString(strs));
        t(() -> (int) ia.get(arr, 3));
        t(() -> { sa.set((Object[]) (Object) strs, 0, (Object) 5); return 0; });
        t(() -> { vi.set(v, "x"); return 0; });
        t(() -> { k.findVarHandle(Var_handles.class, "fin", int.class).set(v, 4); return 0; });
        t(() -> { try { return (int) vi.get((Var_handles) null); } catch (NullPointerException e) { return "NPE"; } });
        t(() -> k.findVarHandle(Var_handles.class, "si", int.class));
        VarHandle view = MethodHandles.byteArrayViewVarHandle(int[].class, ByteOrder.BIG_ENDIAN), lv = MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.LITTLE_ENDIAN);
        byte[] bytes = new byte[16];
        view.set(bytes, 1, 0x01020304);
        lv.set(bytes, 8, -2L);
        System.out.println(Arrays.toString(bytes) + " " + (int) view.get(bytes, 8));
        VarHandle bv = MethodHandles.byteBufferViewVarHandle(short[].class, ByteOrder.BIG_ENDIAN);
        ByteBuffer bb = ByteBuffer.allocateDirect(8);
        bv.set(bb, 2, (short) 0x0102);
        System.out.println(bb.get(2) + " " + bb.get(3));
        t(() -> (int) view.get(bytes, 13));
        System.out.println(vi.toMethodHandle(VarHandle.AccessMode.GET).invoke(v) + " " + vi.accessModeType(VarHandle.AccessMode.COMPARE_AND_SET) + " " + vi.hasInvokeExactBehavior());
        t(() -> { vi.withInvokeExactBehavior().set(v, (short) 5); return 0; });
        VarHandle.fullFence(); VarHandle.acquireFence(); VarHandle.releaseFence();
        int total = 0;
        for (int n = 0; n < 500; n++) total += (int) vi.getAndAdd(v, 1);
        System.out.println(total);
    }
}
