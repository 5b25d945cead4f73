// Classes made byte by byte at run time: arithmetic, jsr-free old version 49, wide jumps, verification failures.
import java.io.*;
import java.lang.reflect.InvocationTargetException;

public class Generated_bytes {
    static class L extends ClassLoader { Class<?> define(byte[] b) { return defineClass(null, b, 0, b.length); } }

    // A class "name" with one method, public static int f(int), and the given code.
    static byte[] make(String name, int version, int stack, int locals, byte[] code) throws IOException {
        ByteArrayOutputStream bo = new ByteArrayOutputStream();
        DataOutputStream o = new DataOutputStream(bo);
        o.writeInt(0xcafebabe);
        o.writeInt(version);
        o.writeShort(10);
        o.writeByte(1); o.writeUTF(name);              // 1
        o.writeByte(7); o.writeShort(1);               // 2
        o.writeByte(1); o.writeUTF("java/lang/Object"); // 3
        o.writeByte(7); o.writeShort(3);               // 4
        o.writeByte(1); o.writeUTF("f");               // 5
        o.writeByte(1); o.writeUTF("(I)I");            // 6
        o.writeByte(1); o.writeUTF("Code");            // 7
        o.writeByte(5); o.writeLong(1L << 33);         // 8, 9
        o.writeShort(0x21); o.writeShort(2); o.writeShort(4); o.writeShort(0); o.writeShort(0);
        o.writeShort(1);
        o.writeShort(9); o.writeShort(5); o.writeShort(6); o.writeShort(1);
        o.writeShort(7); o.writeInt(12 + code.length); o.writeShort(stack); o.writeShort(locals); o.writeInt(code.length); o.write(code); o.writeShort(0); o.writeShort(0);
        o.writeShort(0);
        return bo.toByteArray();
    }

    static byte[] b(int... xs) {
        byte[] r = new byte[xs.length];
        for (int i = 0; i < r.length; i++) r[i] = (byte) xs[i];
        return r;
    }

    static void run(String what, byte[] cls, int arg) throws Exception {
        try {
            System.out.println(what + " " + new L().define(cls).getMethod("f", int.class).invoke(null, arg));
        } catch (InvocationTargetException e) {
            System.out.println(what + " threw " + e.getCause());
        } catch (VerifyError | ClassFormatError e) {
            System.out.println(what + " " + e.getClass().getSimpleName());
        }
    }

    public static void main(String[] args) throws Exception {
        run("add", make("G1", 49, 2, 1, b(26, 16, 100, 96, 172)), 5);
        // dup_x2, swap, pop2, long constant, l2i, ishr
        run("stack", make("G2", 49, 6, 1, b(26, 8, 4, 91, 96, 96, 95, 87, 20, 0, 8, 4, 123, 136, 172)), 1);
        // iinc and loop with goto: sum of 1..n
        run("loop", make("G3", 49, 2, 2, b(3, 60, 26, 153, 0, 13, 27, 26, 96, 60, 132, 0, 255, 167, 255, 245, 27, 172)), 100);
        // goto_w forward over a nop field
        byte[] w = new byte[40010];
        w[0] = (byte) 200; w[1] = 0; w[2] = 0; w[3] = (byte) (40000 >> 8); w[4] = (byte) 40000;
        w[40000] = 26; w[40001] = 7; w[40002] = 104; w[40003] = (byte) 172;
        for (int i = 40004; i < w.length; i++) w[i] = (byte) (i == w.length - 1 ? 172 : i == w.length - 2 ? 3 : 0);
        run("goto_w", make("G4", 49, 2, 1, w), 6);
        // wide iinc, wide iload
        run("wide", make("G5", 49, 1, 1, b(196, 132, 0, 0, 3, 232, 196, 21, 0, 0, 172)), 7);
        // lookupswitch with padding
        run("lookup", make("G6", 49, 1, 1, b(26, 171, 0, 0, 0, 0, 0, 27, 0, 0, 0, 2, 255, 255, 255, 255, 0, 0, 0, 29, 0, 0, 0, 9, 0, 0, 0, 32, 2, 172, 16, 50, 172, 16, 60, 172)), 9);
        run("divide", make("G7", 49, 2, 1, b(26, 3, 108, 172)), 1);
        // failures
        run("underflow", make("G8", 49, 2, 1, b(96, 172)), 1);
        run("overflow", make("G9", 49, 1, 1, b(26, 26, 96, 172)), 1);
        run("type", make("G10", 49, 2, 1, b(1, 172)), 1);
        run("off end", make("G11", 49, 2, 1, b(26, 87)), 1);
        run("bad jump", make("G12", 49, 2, 1, b(167, 0, 50, 26, 172)), 1);
        run("bad opcode", make("G13", 49, 2, 1, b(254, 26, 172)), 1);
        run("local", make("G14", 49, 2, 1, b(21, 5, 172)), 1);
        run("no frames", make("G15", 52, 2, 1, b(26, 153, 0, 5, 4, 172, 5, 172)), 1);
        run("straight 52", make("G16", 52, 2, 1, b(26, 26, 104, 172)), 9);
        run("empty code", make("G17", 49, 2, 1, b()), 1);
    }
}
