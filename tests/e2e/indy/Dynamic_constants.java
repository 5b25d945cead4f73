// Class files that javac does not write: ldc of dynamic constants, method handles and method types, and invokedynamic
// with the program's bootstrap methods. Failures must be sticky.
import java.io.*;
import java.lang.invoke.*;
import java.util.*;

public class Dynamic_constants {
    public static int calls;

    public static Object constant(MethodHandles.Lookup l, String name, Class<?> type, Object... extra) {
        calls++;
        if (name.equals("fails")) throw new IllegalStateException("bootstrap " + calls);
        if (type == int.class) return 40 + extra.length;
        if (type == long.class) return 1L << 40;
        if (type == double.class) return 2.5;
        return name + ":" + type.getSimpleName() + Arrays.toString(extra);
    }

    public static CallSite site(MethodHandles.Lookup l, String name, MethodType type, String prefix) throws Exception {
        calls++;
        if (name.equals("badType")) return new ConstantCallSite(MethodHandles.constant(int.class, 1));
        MethodHandle mh = MethodHandles.lookup().findStatic(Dynamic_constants.class, "target", MethodType.methodType(String.class, String.class, String.class, int.class));
        return new ConstantCallSite(MethodHandles.insertArguments(mh, 0, prefix, name));
    }

    static String target(String prefix, String name, int x) { return prefix + name + x; }
    public static String greet(int x) { return "greeting " + x; }

    /** A constant pool under construction; every method returns an index. */
    static class Pool {
        final ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        final DataOutputStream out = new DataOutputStream(bytes);
        final Map<String, Integer> seen = new HashMap<>();
        int next = 1;

        interface Body { void write() throws IOException; }
        int entry(String key, int width, Body b) throws IOException {
            Integer old = seen.get(key);
            if (old != null) return old;
            b.write();
            seen.put(key, next);
            next += width;
            return next - width;
        }
        int utf(String s) throws IOException { return entry("u" + s, 1, () -> { out.writeByte(1); out.writeUTF(s); }); }
        int one(int tag, String s) throws IOException { int u = utf(s); return entry(tag + s, 1, () -> { out.writeByte(tag); out.writeShort(u); }); }
        int cls(String s) throws IOException { return one(7, s); }
        int str(String s) throws IOException { return one(8, s); }
        int type(String s) throws IOException { return one(16, s); }
        int integer(int v) throws IOException { return entry("i" + v, 1, () -> { out.writeByte(3); out.writeInt(v); }); }
        int two(int tag, int a, int b) throws IOException { return entry(tag + "," + a + "," + b, 1, () -> { out.writeByte(tag); out.writeShort(a); out.writeShort(b); }); }
        int nat(String n, String d) throws IOException { return two(12, utf(n), utf(d)); }
        int method(String c, String n, String d) throws IOException { return two(10, cls(c), nat(n, d)); }
        int handle(int m) throws IOException { return entry("h" + m, 1, () -> { out.writeByte(15); out.writeByte(6); out.writeShort(m); }); }
        int dynamic(int bsm, String n, String d) throws IOException { return two(17, bsm, nat(n, d)); }
        int indy(int bsm, String n, String d) throws IOException { return two(18, bsm, nat(n, d)); }
    }

    static final String ME = "Dynamic_constants", BSM = "(Ljava/lang/invoke/MethodHandles$Lookup;Ljava/lang/String;Ljava/lang/Class;[Ljava/lang/Object;)Ljava/lang/Object;";
    static final String SITE = "(Ljava/lang/invoke/MethodHandles$Lookup;Ljava/lang/String;Ljava/lang/invoke/MethodType;Ljava/lang/String;)Ljava/lang/invoke/CallSite;";

    static byte[] generate() throws IOException {
        Pool p = new Pool();
        int self = p.cls("Generated"), sup = p.cls("java/lang/Object"), code = p.utf("Code"), boot = p.utf("BootstrapMethods");
        int con = p.handle(p.method(ME, "constant", BSM)), sit = p.handle(p.method(ME, "site", SITE)), greet = p.handle(p.method(ME, "greet", "(I)Ljava/lang/String;"));
        int[][] boots = {{con}, {con, p.str("arg"), p.integer(7), p.cls("java/util/List"), p.type("(I)V")}, {sit, p.str("pre-")}, {con, p.dynamic(1, "inner", "Ljava/lang/String;")}};
        String obj = "Ljava/lang/String;";
        Object[][] ms = {
            {"plain", "()" + obj, bytes(19, p.dynamic(0, "plain", obj), 176)}, {"args", "()" + obj, bytes(19, p.dynamic(1, "args", obj), 176)},
            {"nested", "()" + obj, bytes(19, p.dynamic(3, "nested", obj), 176)}, {"number", "()I", bytes(19, p.dynamic(1, "number", "I"), 172)},
            {"wide", "()J", bytes(20, p.dynamic(0, "wide", "J"), 173)}, {"real", "()D", bytes(20, p.dynamic(0, "real", "D"), 175)},
            {"fails", "()" + obj, bytes(19, p.dynamic(0, "fails", obj), 176)}, {"handle", "()Ljava/lang/invoke/MethodHandle;", bytes(19, greet, 176)},
            {"type", "()Ljava/lang/invoke/MethodType;", bytes(19, p.type("(IJ)Ljava/lang/Object;"), 176)}, {"klass", "()Ljava/lang/Class;", bytes(19, p.cls("[[I"), 176)},
            {"call", "()" + obj, indy(p.indy(2, "name", "(I)" + obj))}, {"badType", "()" + obj, indy(p.indy(2, "badType", "(I)" + obj))}, {"missing", "()Ljava/lang/Object;", bytes(19, p.dynamic(0, "missing", "Lno/Such;"), 176)}};
        for (Object[] m : ms) { p.utf((String) m[0]); p.utf((String) m[1]); }
        ByteArrayOutputStream bo = new ByteArrayOutputStream();
        DataOutputStream o = new DataOutputStream(bo);
        o.writeInt(0xcafebabe); o.writeInt(55); o.writeShort(p.next); p.bytes.writeTo(o);
        o.writeShort(0x21); o.writeShort(self); o.writeShort(sup); o.writeShort(0); o.writeShort(0); o.writeShort(ms.length);
        for (Object[] m : ms) {
            byte[] c = (byte[]) m[2];
            o.writeShort(9); o.writeShort(p.utf((String) m[0])); o.writeShort(p.utf((String) m[1])); o.writeShort(1);
            o.writeShort(code); o.writeInt(12 + c.length); o.writeShort(2); o.writeShort(0); o.writeInt(c.length); o.write(c); o.writeInt(0);
        }
        o.writeShort(1); o.writeShort(boot);
        int length = 2;
        for (int[] b : boots) length += 2 + 2 * b.length;
        o.writeInt(length); o.writeShort(boots.length);
        for (int[] b : boots) { o.writeShort(b[0]); o.writeShort(b.length - 1); for (int i = 1; i < b.length; i++) o.writeShort(b[i]); }
        return bo.toByteArray();
    }

    static byte[] bytes(int op, int index, int ret) { return new byte[]{(byte) op, (byte) (index >> 8), (byte) index, (byte) ret}; }
    static byte[] indy(int index) { return new byte[]{8, (byte) 186, (byte) (index >> 8), (byte) index, 0, 0, (byte) 176}; }

    public static void main(String[] args) throws Throwable {
        byte[] b = generate();
        Class<?> c = new ClassLoader(Dynamic_constants.class.getClassLoader()) { Class<?> define() { return defineClass("Generated", b, 0, b.length); } }.define();
        for (String m : "plain args nested number wide real handle type klass call fails badType missing".split(" ")) {
            for (int i = 0; i < 2; i++) {
                int before = calls;
                try {
                    Object r = c.getMethod(m).invoke(null);
                    System.out.println(m + " " + (r instanceof MethodHandle h ? h.invoke(3) : r) + " " + (calls - before));
                } catch (java.lang.reflect.InvocationTargetException e) {
                    Throwable t = e.getCause();
                    System.out.println(m + " " + t.getClass().getSimpleName() + (i == 1 ? " again" : " <- ") + (i == 1 ? "" : t.getCause() == null ? null : t.getCause().getClass().getSimpleName() + " " + (t.getCause() instanceof IllegalStateException ? t.getCause().getMessage() : "")) + " " + (calls - before));
                }
            }
        }
        System.out.println(c.getMethod("plain").invoke(null) == c.getMethod("plain").invoke(null));
    }
}
