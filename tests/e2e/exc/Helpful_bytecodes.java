// Helpful messages for code that no compiler emits: random stack shuffling, stores to parameters, and joins before the
// failing instruction. The same seed gives the same methods on every VM.
import java.io.*;
import java.lang.reflect.InvocationTargetException;
import java.util.*;

public class Helpful_bytecodes extends ClassLoader {
    static final int METHODS = 250;
    static final Random random = new Random(358);

    // ---- a minimal class writer -------------------------------------------------------------

    static final List<byte[]> pool = new ArrayList<>();
    static final Map<String, Integer> known = new HashMap<>();

    interface Writer { void to(DataOutputStream out) throws IOException; }

    static byte[] bytes(Writer w) {
        ByteArrayOutputStream b = new ByteArrayOutputStream();
        try { w.to(new DataOutputStream(b)); } catch (IOException e) { throw new UncheckedIOException(e); }
        return b.toByteArray();
    }

    static int entry(String key, Writer w) {
        Integer at = known.get(key);
        if (at != null) return at;
        byte[] b = bytes(w);
        pool.add(b);
        known.put(key, pool.size());
        return pool.size();
    }

    static int utf(String s) { return entry("u" + s, o -> { o.write(1); o.writeUTF(s); }); }
    static int cls(String s) { int u = utf(s); return entry("c" + s, o -> { o.write(7); o.writeShort(u); }); }
    static int integer(int i) { return entry("i" + i, o -> { o.write(3); o.writeInt(i); }); }
    static int ref(int tag, String owner, String name, String desc) {
        int c = cls(owner), n = utf(name), d = utf(desc);
        int nt = entry("n" + name + desc, o -> { o.write(12); o.writeShort(n); o.writeShort(d); });
        return entry(tag + owner + name + desc, o -> { o.write(tag); o.writeShort(c); o.writeShort(nt); });
    }

    // ---- one method -------------------------------------------------------------------------

    static final ByteArrayOutputStream code = new ByteArrayOutputStream();
    static final ArrayList<Character> stack = new ArrayList<>();

    static void op(int... b) { for (int x : b) code.write(x); }
    static void wide(int o, int cp) { op(o, cp >> 8, cp & 255); }
    static void local(int o, int n) {
        if (n > 255) op(0xc4, o, n >> 8, n & 255);
        else op(o, n);
    }
    static void nil() { op(1); wide(0xc0, cls("[I")); }
    static void field(String name, String desc) { wide(0xb2, ref(9, "T", name, desc)); }
    static char top(int n) { return stack.size() > n ? stack.get(stack.size() - 1 - n) : '-'; }
    static boolean narrow(int n) {
        for (int i = 0; i < n; i++) if (top(i) != 'I' && top(i) != 'A') return false;
        return true;
    }
    static void insert(int back, char c) { stack.add(stack.size() - back, c); }
    static void pop() { stack.remove(stack.size() - 1); }

    static void push() {
        switch (random.nextInt(12)) {
            case 0 -> { nil(); stack.add('A'); }
            case 1 -> { local(25, random.nextBoolean() ? 0 : 4); stack.add('A'); }
            case 2 -> { local(21, 1); stack.add('I'); }
            case 3 -> { local(22, 2); stack.add('L'); }
            case 4 -> { op(2 + random.nextInt(7)); stack.add('I'); }
            case 5 -> { op(16, random.nextInt(256)); stack.add('I'); }
            case 6 -> { wide(0x13, integer(123456)); stack.add('I'); }
            case 7 -> { field("array", "[I"); stack.add('A'); }
            case 8 -> { field("object", "LT;"); wide(0xb4, ref(9, "T", "own", "[I")); stack.add('A'); }
            case 9 -> { wide(0xb8, ref(10, "T", "none", "()[I")); stack.add('A'); }
            case 10 -> { field("arrays", "[[I"); op(3 + random.nextInt(2), 50); stack.add('A'); }
            default -> { local(25, new int[] {5, 6, 300}[random.nextInt(3)]); stack.add('A'); }
        }
    }

    static void join() {
        int at = code.size();
        // iload_1, ifeq else, aload 4 or null, goto join; else: getstatic array
        boolean load = random.nextBoolean();
        int length = load ? 2 : 4;
        op(27, 0x99, 0, 3 + length + 3);
        if (load) op(25, 4);
        else nil();
        op(0xa7, 0, 6);
        field("array", "[I");
        stack.add('A');
        if (code.size() != at + 4 + length + 6) throw new AssertionError();
    }

    static void step() {
        switch (random.nextInt(18)) {
            case 0 -> { if (narrow(1)) { op(89); stack.add(top(0)); } else push(); }
            case 1 -> { if (narrow(2)) { op(90); insert(2, top(0)); } else push(); }
            case 2 -> {
                if (narrow(3)) { op(91); insert(3, top(0)); }
                else if (narrow(1) && top(1) == 'L') { op(91); insert(2, top(0)); }
                else push();
            }
            case 3 -> {
                if (narrow(2)) { op(92); char a = top(1), b = top(0); stack.add(a); stack.add(b); }
                else if (top(0) == 'L') { op(92); stack.add('L'); }
                else push();
            }
            case 4 -> {
                if (narrow(3)) { op(93); char a = top(1), b = top(0); insert(3, a); insert(3, b); }
                else if (top(0) == 'L' && (top(1) == 'A' || top(1) == 'I')) { op(93); insert(2, 'L'); }
                else push();
            }
            case 5 -> {
                if (narrow(4)) { op(94); char a = top(1), b = top(0); insert(4, a); insert(4, b); }
                else if (top(0) == 'L' && top(1) == 'L') { op(94); insert(2, 'L'); }
                else push();
            }
            case 6 -> {
                if (narrow(2)) { op(95); char a = top(0); pop(); insert(1, a); }
                else push();
            }
            case 7 -> { if (stack.isEmpty()) push(); else { op(top(0) == 'L' ? 88 : 87); pop(); } }
            case 8 -> {
                if (top(0) == 'A') { local(58, new int[] {0, 4, 5, 6, 300}[random.nextInt(5)]); pop(); }
                else push();
            }
            case 9 -> { if (top(0) == 'I' && top(1) == 'I') { op(96); pop(); } else push(); }
            case 10 -> { if (top(0) == 'I') { op(133); pop(); stack.add('L'); } else push(); }
            case 11 -> { if (top(0) == 'L') { op(136); pop(); stack.add('I'); } else push(); }
            case 12, 13 -> join();
            default -> push();
        }
    }

    static void failing() {
        switch (random.nextInt(5)) {
            case 0 -> { while (top(0) != 'A') push(); op(190, 87); }
            case 1 -> { while (top(0) != 'I' || top(1) != 'A') push(); op(46, 87); }
            case 2 -> { while (top(0) != 'I' || top(1) != 'I' || top(2) != 'A') push(); op(79); }
            case 3 -> { while (top(0) != 'A') push(); wide(0xb6, ref(10, "java/lang/Object", "hashCode", "()I")); op(87); }
            default -> { while (top(0) != 'A') push(); op(194); }
        }
    }

    static byte[] randomCode() {
        code.reset();
        stack.clear();
        for (int l : new int[] {5, 6, 300}) { nil(); local(58, l); }
        for (int i = random.nextInt(25); i > 0; i--) step();
        failing();
        op(177);
        return code.toByteArray();
    }

    static void method(DataOutputStream out, int flags, String name, String desc, byte[] body, boolean names) throws IOException {
        out.writeShort(flags);
        out.writeShort(utf(name));
        out.writeShort(utf(desc));
        out.writeShort(1);
        out.writeShort(utf("Code"));
        byte[] table = !names ? new byte[0] : bytes(o -> {
            o.writeShort(utf("LocalVariableTable"));
            o.writeInt(2 + 2 * 10);
            o.writeShort(2);
            int[] at = {0, 6};
            for (int slot : at) {
                o.writeShort(0);
                o.writeShort(body.length);
                o.writeShort(utf(slot == 0 ? "first" : "six"));
                o.writeShort(utf("[I"));
                o.writeShort(slot);
            }
        });
        out.writeInt(12 + body.length + table.length);
        out.writeShort(400);
        out.writeShort(400);
        out.writeInt(body.length);
        out.write(body);
        out.writeShort(0);
        out.writeShort(names ? 1 : 0);
        out.write(table);
    }

    static byte[] classFile() {
        int self = cls("T"), object = cls("java/lang/Object");
        byte[] members = bytes(out -> {
            String[][] fields = {{"array", "[I"}, {"object", "LT;"}, {"arrays", "[[I"}, {"own", "[I"}};
            out.writeShort(fields.length);
            for (String[] f : fields) {
                out.writeShort(f[0].equals("own") ? 1 : 9);
                out.writeShort(utf(f[0]));
                out.writeShort(utf(f[1]));
                out.writeShort(0);
            }
            out.writeShort(METHODS + 2);
            int init = ref(10, "java/lang/Object", "<init>", "()V");
            method(out, 1, "<init>", "()V", new byte[] {42, (byte) 0xb7, (byte) (init >> 8), (byte) init, (byte) 177}, false);
            int array = cls("[I");
            method(out, 9, "none", "()[I", new byte[] {1, (byte) 0xc0, (byte) (array >> 8), (byte) array, (byte) 176}, false);
            for (int i = 0; i < METHODS; i++)
                method(out, 9, "m" + i, "([IIJ[I)V", randomCode(), random.nextInt(3) == 0);
            out.writeShort(0);
        });
        return bytes(out -> {
            out.writeInt(0xcafebabe);
            out.writeInt(49);
            out.writeShort(pool.size() + 1);
            for (byte[] e : pool) out.write(e);
            out.writeShort(0x21);
            out.writeShort(self);
            out.writeShort(object);
            out.writeShort(0);
            out.write(members);
        });
    }

    public static void main(String[] args) throws Exception {
        byte[] file = classFile();
        Class<?> c = new Helpful_bytecodes().defineClass("T", file, 0, file.length);
        c.getField("object").set(null, c.getConstructor().newInstance());
        c.getField("arrays").set(null, new int[2][]);
        for (int i = 0; i < METHODS; i++)
            try {
                c.getMethod("m" + i, int[].class, int.class, long.class, int[].class).invoke(null, null, -5, 0L, null);
                System.out.println(i + " nothing");
            } catch (InvocationTargetException e) {
                System.out.println(i + " " + e.getCause());
            }
    }
}
