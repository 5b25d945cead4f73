// Classes near the limits of the format: thousands of methods and fields, a method of nearly 64 KiB, wide
// constant pool indexes, 255 arguments, 255 array dimensions, long names.
import java.io.*;
import java.lang.reflect.*;

public class Class_sizes {
    static class L extends ClassLoader { Class<?> define(byte[] b) { return defineClass(null, b, 0, b.length); } }

    static final int METHODS = 3000, FIELDS = 2000;

    // Methods m0..: static int mK(int) { return x + K * 3 (as a wide constant); }; fields f0.. static int; huge(): a long run of iinc.
    static byte[] generate() throws IOException {
        ByteArrayOutputStream bo = new ByteArrayOutputStream();
        DataOutputStream o = new DataOutputStream(bo);
        o.writeInt(0xcafebabe);
        o.writeInt(49);
        int constants = 8, names = constants + METHODS, fields = names + METHODS;
        o.writeShort(fields + FIELDS + 2);
        o.writeByte(1); o.writeUTF("Big"); o.writeByte(7); o.writeShort(1);                 // 1, 2
        o.writeByte(1); o.writeUTF("java/lang/Object"); o.writeByte(7); o.writeShort(3);    // 3, 4
        o.writeByte(1); o.writeUTF("(I)I"); o.writeByte(1); o.writeUTF("Code"); o.writeByte(1); o.writeUTF("I"); // 5, 6, 7
        for (int i = 0; i < METHODS; i++) { o.writeByte(3); o.writeInt(i * 3 + 100_000); }
        for (int i = 0; i < METHODS; i++) { o.writeByte(1); o.writeUTF("m" + i); }
        for (int i = 0; i < FIELDS; i++) { o.writeByte(1); o.writeUTF("f" + i + (i == 5 ? "x".repeat(30000) : "")); }
        o.writeByte(1); o.writeUTF("huge");
        o.writeByte(1); o.writeUTF("unused");
        o.writeShort(0x21); o.writeShort(2); o.writeShort(4); o.writeShort(0);
        o.writeShort(FIELDS);
        for (int i = 0; i < FIELDS; i++) { o.writeShort(9); o.writeShort(fields + i); o.writeShort(7); o.writeShort(0); }
        o.writeShort(METHODS + 1);
        for (int i = 0; i < METHODS; i++) method(o, names + i, new byte[]{26, 19, (byte) (constants + i >> 8), (byte) (constants + i), 96, (byte) 172});
        byte[] huge = new byte[65535];
        for (int i = 0; i + 3 <= 65532; i += 3) { huge[i] = (byte) 132; huge[i + 1] = 0; huge[i + 2] = 1; }
        huge[65532] = 0; huge[65533] = 26; huge[65534] = (byte) 172;
        method(o, fields + FIELDS, huge);
        o.writeShort(0);
        return bo.toByteArray();
    }

    static void method(DataOutputStream o, int name, byte[] code) throws IOException {
        o.writeShort(9); o.writeShort(name); o.writeShort(5); o.writeShort(1);
        o.writeShort(6); o.writeInt(12 + code.length); o.writeShort(2); o.writeShort(1); o.writeInt(code.length); o.write(code); o.writeInt(0);
    }

    static int many(int a0, long a1, int a2, double a3, int a4, int a5, int a6, int a7, int a8, int a9, long b0, long b1, long b2, long b3, long b4, long b5, long b6, long b7, long b8, long b9,
                    int c0, int c1, int c2, int c3, int c4, int c5, int c6, int c7, int c8, int c9, String d0, Object d1, int[] d2, float d3, short d4, byte d5, char d6, boolean d7, double d8, double d9) {
        return (int) (a0 + a1 * 2 + a2 + a3 + a9 + b0 + b9 * 3 + c0 + c9 + d0.length() + d2[0] + d3 + d4 + d5 + d6 + (d7 ? 1 : 0) + d8 + d9);
    }

    public static void main(String[] args) throws Exception {
        Class<?> c = new L().define(generate());
        System.out.println(c.getDeclaredMethods().length + " " + c.getDeclaredFields().length);
        long sum = 0;
        for (int i = 0; i < METHODS; i += 7) sum += (Integer) c.getMethod("m" + i, int.class).invoke(null, i);
        System.out.println(sum + " " + c.getMethod("huge", int.class).invoke(null, 5));
        for (int i = 0; i < FIELDS; i += 13) c.getField("f" + i).setInt(null, i);
        int fs = 0;
        for (Field f : c.getFields()) fs += f.getInt(null);
        System.out.println(fs);
        System.out.println(many(1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, "thirty", null, new int[]{33}, 34, (short) 35, (byte) 36, 'A', true, 39, 40));
        Object deep = Array.newInstance(int.class, new int[255]);
        System.out.println(deep.getClass().getName().length() + " " + Array.getLength(deep));
        try {
            Array.newInstance(deep.getClass(), 1);
        } catch (IllegalArgumentException e) {
            System.out.println("256 dimensions refused");
        }
        String s = "0123456789".repeat(100_000);
        System.out.println(s.length() + " " + s.hashCode() + " " + s.indexOf("90", 999_980) + " " + (s + s).length());
        StringBuilder b = new StringBuilder();
        for (int i = 0; i < 3000; i++) b.append(i).append(',');
        System.out.println(b.toString().split(",").length);
    }
}
