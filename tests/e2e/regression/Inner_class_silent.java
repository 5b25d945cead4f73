import java.io.*;
import java.util.*;

/** A class lists another as its member, but the other has no entry, or a different one, about it. */
public final class Inner_class_silent extends ClassLoader {
    private final Map<String, byte[]> classes = new HashMap<>();

    /** A public class with an InnerClasses attribute of the given (inner, outer, name) triples. */
    private static byte[] file(String name, String... inner) throws IOException {
        List<byte[]> pool = new ArrayList<>();
        ByteArrayOutputStream body = new ByteArrayOutputStream();
        DataOutputStream b = new DataOutputStream(body);
        b.writeShort(0x21);
        b.writeShort(cls(pool, name));
        b.writeShort(cls(pool, "java/lang/Object"));
        b.writeShort(0);
        b.writeShort(0);
        b.writeShort(0);
        if (inner.length == 0) {
            b.writeShort(0);
        } else {
            b.writeShort(1);
            b.writeShort(text(pool, "InnerClasses"));
            b.writeInt(2 + inner.length / 3 * 8);
            b.writeShort(inner.length / 3);
            for (int i = 0; i < inner.length; i += 3) {
                b.writeShort(cls(pool, inner[i]));
                b.writeShort(cls(pool, inner[i + 1]));
                b.writeShort(text(pool, inner[i + 2]));
                b.writeShort(9);
            }
        }
        ByteArrayOutputStream whole = new ByteArrayOutputStream();
        DataOutputStream d = new DataOutputStream(whole);
        d.writeInt(0xCAFEBABE);
        d.writeInt(52);
        d.writeShort(pool.size() + 1);
        for (byte[] e : pool) d.write(e);
        d.write(body.toByteArray());
        return whole.toByteArray();
    }

    private static int text(List<byte[]> pool, String s) throws IOException {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        out.write(1);
        new DataOutputStream(out).writeUTF(s);
        pool.add(out.toByteArray());
        return pool.size();
    }

    private static int cls(List<byte[]> pool, String name) throws IOException {
        int n = text(pool, name);
        pool.add(new byte[] {7, (byte) (n >> 8), (byte) n});
        return pool.size();
    }

    @Override protected Class<?> findClass(String name) throws ClassNotFoundException {
        byte[] b = classes.get(name);
        if (b == null) throw new ClassNotFoundException(name);
        return defineClass(name, b, 0, b.length);
    }

    private void show(String name) {
        try {
            Class<?> c = loadClass(name);
            System.out.println(name + " declares " + Arrays.toString(c.getDeclaredClasses()));
            System.out.println(name + " is declared by " + c.getDeclaringClass() + ", called '" + c.getSimpleName() + "', member " + c.isMemberClass());
        } catch (ReflectiveOperationException | LinkageError e) {
            System.out.println(name + ": " + e);
        }
    }

    public static void main(String[] args) throws Exception {
        Inner_class_silent l = new Inner_class_silent();
        l.classes.put("Out", file("Out", "Silent", "Out", "Silent", "Claimed", "Other", "Claimed", "Missing", "Other", "Missing"));
        l.classes.put("Silent", file("Silent"));
        l.classes.put("Other", file("Other"));
        l.classes.put("Claimed", file("Claimed", "Claimed", "Other", "Claimed"));
        l.classes.put("Lost", file("Lost", "Gone", "Lost", "Gone"));
        l.classes.put("Orphan", file("Orphan", "Orphan", "Gone", "Orphan"));
        for (String name : new String[] {"Out", "Silent", "Other", "Claimed", "Lost", "Orphan"}) l.show(name);
    }
}
