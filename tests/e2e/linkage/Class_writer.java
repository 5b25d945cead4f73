// A small class file writer, with which other programs of this suite make classes that javac rejects. Run alone, it
// makes a class with fields, methods, a loop and a handler, as a test of the writer.
import java.io.*;
import java.util.*;

public class Class_writer {
    public static final int PUBLIC = 1, PRIVATE = 2, PROTECTED = 4, STATIC = 8, FINAL = 16, SUPER = 32, VOLATILE = 64,
        INTERFACE = 0x200, ABSTRACT = 0x400;
    public static final int ALOAD_0 = 42, RETURN = 177, ARETURN = 176, IRETURN = 172, GETSTATIC = 178, PUTSTATIC = 179, GETFIELD = 180,
        PUTFIELD = 181, INVOKEVIRTUAL = 182, INVOKESPECIAL = 183, INVOKESTATIC = 184, INVOKEINTERFACE = 185, NEW = 187, DUP = 89;

    private final ByteArrayOutputStream poolBytes = new ByteArrayOutputStream(), fieldBytes = new ByteArrayOutputStream(),
        methodBytes = new ByteArrayOutputStream(), attributeBytes = new ByteArrayOutputStream();
    private final DataOutputStream pool = new DataOutputStream(poolBytes), fields = new DataOutputStream(fieldBytes),
        methods = new DataOutputStream(methodBytes), attributes = new DataOutputStream(attributeBytes);
    private final Map<String, Integer> seen = new HashMap<>();
    private int next = 1, fieldCount, methodCount, attributeCount;
    public int version, access, self, parent;
    public final String name;
    private final int[] interfaces;

    public Class_writer(int version, int access, String name, String parent, String... interfaces) {
        this.version = version;
        this.access = access;
        this.name = name;
        self = cls(name);
        this.parent = parent == null ? 0 : cls(parent);
        this.interfaces = Arrays.stream(interfaces).mapToInt(this::cls).toArray();
    }

    public static Class_writer plain(String name) { return new Class_writer(52, PUBLIC | SUPER, name, "java/lang/Object"); }

    interface Writing { void to(DataOutputStream o) throws IOException; }

    private static RuntimeException wrap(IOException e) { return new UncheckedIOException(e); }

    public short entry(String key, int slots, int tag, Writing w) {
        Integer known = seen.get(key);
        if (known != null) return (short) (int) known;
        try {
            pool.writeByte(tag);
            w.to(pool);
        } catch (IOException e) {
            throw wrap(e);
        }
        int at = next;
        seen.put(key, at);
        next += slots;
        return (short) at;
    }

    public short utf(String s) { return entry("u" + s, 1, 1, o -> o.writeUTF(s)); }
    public short rawUtf(byte[] b) { return entry("r" + Arrays.toString(b), 1, 1, o -> { o.writeShort(b.length); o.write(b); }); }
    public short cls(String s) { int u = utf(s); return entry("c" + s, 1, 7, o -> o.writeShort(u)); }
    public short string(String s) { int u = utf(s); return entry("s" + s, 1, 8, o -> o.writeShort(u)); }
    public short integer(int i) { return entry("i" + i, 1, 3, o -> o.writeInt(i)); }
    public short longer(long l) { return entry("l" + l, 2, 5, o -> o.writeLong(l)); }
    public short nameType(String n, String d) { int a = utf(n), b = utf(d); return entry("n" + n + " " + d, 1, 12, o -> { o.writeShort(a); o.writeShort(b); }); }
    private short member(int tag, String c, String n, String d) {
        int a = cls(c), b = nameType(n, d);
        return entry("m" + tag + c + " " + n + " " + d, 1, tag, o -> { o.writeShort(a); o.writeShort(b); });
    }
    public short field(String c, String n, String d) { return member(9, c, n, d); }
    public short method(String c, String n, String d) { return member(10, c, n, d); }
    public short imethod(String c, String n, String d) { return member(11, c, n, d); }
    public short handle(int kind, short ref) { return entry("h" + kind + " " + ref, 1, 15, o -> { o.writeByte(kind); o.writeShort(ref); }); }
    public short methodType(String d) { int u = utf(d); return entry("t" + d, 1, 16, o -> o.writeShort(u)); }
    public short dynamic(boolean call, int bootstrap, String n, String d) {
        int t = nameType(n, d);
        return entry("d" + call + bootstrap + n + " " + d, 1, call ? 18 : 17, o -> { o.writeShort(bootstrap); o.writeShort(t); });
    }

    /** Bytes from Integer (one byte), Short (two), Long (four) and byte[]. */
    public static byte[] code(Object... parts) {
        ByteArrayOutputStream b = new ByteArrayOutputStream();
        DataOutputStream o = new DataOutputStream(b);
        try {
            for (Object p : parts) {
                if (p instanceof Integer i) o.writeByte(i);
                else if (p instanceof Short s) o.writeShort(s);
                else if (p instanceof Long l) o.writeInt((int) (long) l);
                else o.write((byte[]) p);
            }
        } catch (IOException e) {
            throw wrap(e);
        }
        return b.toByteArray();
    }

    /** An attribute as bytes, for a member or a Code attribute. */
    public byte[] attributeOf(String name, byte[] content) { return code(utf(name), (long) content.length, content); }

    public Class_writer attribute(String name, byte[] content) {
        try {
            attributes.write(attributeOf(name, content));
            attributeCount++;
        } catch (IOException e) {
            throw wrap(e);
        }
        return this;
    }

    public Class_writer addField(int access, String name, String type, byte[]... more) {
        member(fields, access, name, type, more);
        fieldCount++;
        return this;
    }

    private void member(DataOutputStream to, int access, String name, String type, byte[][] more) {
        try {
            to.write(code((short) access, utf(name), utf(type), (short) more.length));
            for (byte[] m : more) to.write(m);
        } catch (IOException e) {
            throw wrap(e);
        }
    }

    public Class_writer addAbstract(int access, String name, String type, byte[]... more) {
        member(methods, access, name, type, more);
        methodCount++;
        return this;
    }

    /** A method with code; handlers are rows of start, end, target and catch type index. */
    public Class_writer addMethod(int access, String name, String type, int stack, int locals, byte[] code, int[][] handlers, byte[]... codeAttributes) {
        ByteArrayOutputStream rows = new ByteArrayOutputStream();
        for (int[] h : handlers) for (int v : h) rows.writeBytes(code((short) v));
        ByteArrayOutputStream more = new ByteArrayOutputStream();
        for (byte[] a : codeAttributes) more.writeBytes(a);
        byte[] content = code((short) stack, (short) locals, (long) code.length, code, (short) handlers.length, rows.toByteArray(), (short) codeAttributes.length, more.toByteArray());
        return addAbstract(access, name, type, attributeOf("Code", content));
    }

    public Class_writer addMethod(int access, String name, String type, int stack, int locals, Object... code) {
        return addMethod(access, name, type, stack, locals, code(code), new int[0][]);
    }

    public Class_writer addConstructor() { return addConstructor("java/lang/Object"); }
    public Class_writer addConstructor(String parent) {
        return addMethod(PUBLIC, "<init>", "()V", 1, 1, ALOAD_0, INVOKESPECIAL, method(parent, "<init>", "()V"), RETURN);
    }

    public byte[] bytes() {
        byte[] list = new byte[0];
        for (int i : interfaces) list = code(list, (short) i);
        return code(0xca, 0xfe, 0xba, 0xbe, (long) version, (short) next, poolBytes.toByteArray(), (short) access, (short) self, (short) parent, (short) interfaces.length, list,
            (short) fieldCount, fieldBytes.toByteArray(), (short) methodCount, methodBytes.toByteArray(), (short) attributeCount, attributeBytes.toByteArray());
    }

    /** Defines the given classes on request; delegates all other names to its parent. */
    public static class Loader extends ClassLoader {
        public final Map<String, byte[]> known = new TreeMap<>();
        public Loader(Class_writer... ws) { this(Class_writer.class.getClassLoader(), ws); }
        public Loader(ClassLoader parent, Class_writer... ws) { super(parent); for (Class_writer w : ws) add(w); }
        public Loader add(Class_writer w) { known.put(w.name.replace('/', '.'), w.bytes()); return this; }
        @Override protected Class<?> findClass(String n) throws ClassNotFoundException {
            byte[] b = known.get(n);
            if (b == null) throw new ClassNotFoundException(n);
            return defineClass(n, b, 0, b.length);
        }
        public Class<?> define(byte[] b) { return defineClass(null, b, 0, b.length); }
    }

    public interface Body { Object run() throws Throwable; }

    /** Prints the body's result, or the kind and the first line of the exception, without addresses. */
    public static void show(String what, Body b) {
        try {
            System.out.println(what + ": " + b.run());
        } catch (java.lang.reflect.InvocationTargetException e) {
            System.out.println(what + ": " + text(e.getCause()));
        } catch (Throwable e) {
            System.out.println(what + ": " + text(e));
        }
    }

    public static String text(Throwable e) {
        String m = String.valueOf(e.getMessage());
        return e.getClass().getSimpleName() + " " + m.lines().findFirst().orElse("").replaceAll("@(0x)?[0-9a-f]+", "@");
    }

    /** Prints only the kind of the exception. */
    public static void kind(String what, Body b) {
        try {
            System.out.println(what + ": " + b.run());
        } catch (java.lang.reflect.InvocationTargetException e) {
            System.out.println(what + ": " + e.getCause().getClass().getSimpleName());
        } catch (Throwable e) {
            System.out.println(what + ": " + e.getClass().getSimpleName());
        }
    }

    public static Object call(Class<?> c, String method, Object... args) throws Throwable {
        for (var m : c.getDeclaredMethods()) {
            if (m.getName().equals(method)) {
                m.setAccessible(true);
                return m.invoke(null, args);
            }
        }
        throw new NoSuchMethodException(method);
    }

    public static void main(String[] args) throws Throwable {
        Class_writer w = new Class_writer(49, PUBLIC | SUPER, "made/First", "java/lang/Object", "java/lang/Runnable");
        w.addConstructor().addField(PUBLIC | STATIC, "n", "I").addField(PRIVATE, "s", "Ljava/lang/String;");
        w.addMethod(PUBLIC, "run", "()V", 2, 1, GETSTATIC, w.field("made/First", "n", "I"), 4, 96, PUTSTATIC, w.field("made/First", "n", "I"), RETURN);
        w.addMethod(PUBLIC | STATIC, "sum", "(I)I", 2, 2, 3, 60, 26, 153, (short) 13, 27, 26, 96, 60, 132, 0, 255, 167, (short) -11, 27, IRETURN);
        w.addMethod(PUBLIC | STATIC, "safe", "(II)I", 2, 2, code(26, 27, 108, IRETURN, 87, 2, IRETURN), new int[][]{{0, 4, 4, w.cls("java/lang/ArithmeticException")}});
        w.addMethod(PUBLIC | STATIC, "text", "()Ljava/lang/String;", 1, 0, 18, (int) w.string("constant"), ARETURN);
        Class<?> c = new Loader(w).loadClass("made.First");
        Runnable r = (Runnable) c.getConstructor().newInstance();
        r.run();
        r.run();
        System.out.println(c.getField("n").getInt(null) + " " + call(c, "sum", 100) + " " + call(c, "safe", 7, 2) + " " + call(c, "safe", 7, 0) + " " + call(c, "text"));
        show("shown", () -> call(c, "sum", "x"));
        kind("kind", () -> call(c, "none"));
    }
}
