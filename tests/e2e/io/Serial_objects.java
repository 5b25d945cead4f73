// Serialization: graphs, cycles, custom methods, Externalizable, enums, records, replacement, versions, filters.
import java.io.*;
import java.util.*;

public class Serial_objects {
    static class Node implements Serializable { String n; Node next; transient int skip = 5; List<Object> kids = new ArrayList<>(); Node(String n) { this.n = n; } }
    static class NotSer { int base; NotSer() { base = 77; } }
    static class Custom extends NotSer implements Serializable {
        private static final long serialVersionUID = 1;
        int a; transient String b; double[] ds = {1, 2};
        Custom(int a, String b) { this.a = a; this.b = b; base = 1; }
        private void writeObject(ObjectOutputStream o) throws IOException { o.defaultWriteObject(); o.writeUTF(b); o.writeInt(base); }
        private void readObject(ObjectInputStream i) throws IOException, ClassNotFoundException { i.defaultReadObject(); b = i.readUTF() + "!"; base += i.readInt(); }
    }
    public static class Ext implements Externalizable {
        int x; Object o;
        public Ext() { x = -1; }
        Ext(int x, Object o) { this.x = x; this.o = o; }
        public void writeExternal(ObjectOutput out) throws IOException { out.writeInt(x); out.writeObject(o); }
        public void readExternal(ObjectInput in) throws IOException, ClassNotFoundException { x = in.readInt() + 1000; o = in.readObject(); }
    }
    enum E { A, B { } }
    record Rec(int a, Object b) implements Serializable { Rec { if (a == 13) throw new IllegalArgumentException("13"); } }
    static class Single implements Serializable { static final Single S = new Single(); private Object readResolve() { return S; } }
    static class Swap implements Serializable { final int v; Swap(int v) { this.v = v; } private Object writeReplace() { return new Holder(v * 2); } }
    static class Holder implements Serializable { final int h; Holder(int h) { this.h = h; } private Object readResolve() { return "resolved " + h; } }
    static class Fields implements Serializable {
        private static final ObjectStreamField[] serialPersistentFields = {new ObjectStreamField("renamed", int.class), new ObjectStreamField("txt", String.class)};
        transient int real = 9;
        private void writeObject(ObjectOutputStream o) throws IOException { ObjectOutputStream.PutField p = o.putFields(); p.put("renamed", real); p.put("txt", "t"); o.writeFields(); }
        private void readObject(ObjectInputStream i) throws IOException, ClassNotFoundException { ObjectInputStream.GetField g = i.readFields(); real = g.get("renamed", 0) + ((String) g.get("txt", null)).length(); }
    }

    static byte[] bytes(Object... os) throws IOException {
        ByteArrayOutputStream b = new ByteArrayOutputStream();
        try (ObjectOutputStream o = new ObjectOutputStream(b)) { for (Object x : os) o.writeObject(x); }
        return b.toByteArray();
    }
    static Object read(byte[] b) throws Exception { return new ObjectInputStream(new ByteArrayInputStream(b)).readObject(); }

    public static void main(String[] args) throws Exception {
        Node a = new Node("a"), b = new Node("b");
        a.next = b; b.next = a;
        a.kids.add(b); a.kids.add(a.kids); a.kids.add(new int[][]{{1}, {2, 3}});
        Node c = (Node) read(bytes(a));
        System.out.println(c.n + c.next.n + " " + (c.next.next == c) + " " + c.skip + " " + (c.kids.get(0) == c.next) + " " + (c.kids.get(1) == c.kids) + " " + ((int[][]) c.kids.get(2))[1][1]);
        Custom cu = (Custom) read(bytes(new Custom(5, "b")));
        System.out.println(cu.a + cu.b + cu.base + Arrays.toString(cu.ds));
        Ext e = (Ext) read(bytes(new Ext(5, "inner")));
        System.out.println(e.x + " " + e.o);
        System.out.println((read(bytes(E.B)) == E.B) + " " + read(bytes(new Rec(1, List.of(2)))) + " " + (read(bytes(Single.S)) == Single.S) + " " + read(bytes(new Swap(21))) + " " + ((Fields) read(bytes(new Fields()))).real);
        Object[] std = {"s", 1, 2L, 'c', true, 1.5, new Date(0), new HashMap<>(Map.of("k", 1)), new TreeMap<>(Map.of(1, "x", 2, "y")), new LinkedList<>(List.of(1)), EnumSet.of(E.A), new BitSet(), java.math.BigDecimal.TEN, Locale.US, List.of(1, 2), Optional.class, int[].class, new ArrayDeque<>(List.of(1)), new StringBuilder("sb"), java.time.LocalDate.of(2020, 1, 2), Collections.unmodifiableList(new ArrayList<>(List.of(9)))};
        for (Object o : std) System.out.print(read(bytes(o)) + ";");
        System.out.println();
        try {
            bytes(new Object[]{new Node("x"), new Object()}, 5);
        } catch (NotSerializableException x) {
            System.out.println(x.getMessage());
        }
        byte[] bs = bytes(new Custom(1, "v"));
        bs[bs.length - 2] ^= 1;
        System.out.println(((Custom) read(bs)).base);
        ObjectStreamClass k = ObjectStreamClass.lookup(Custom.class);
        System.out.println(k.getSerialVersionUID() + " " + k.getFields().length + " " + k.getField("a").getType() + " " + ObjectStreamClass.lookup(Node.class).getSerialVersionUID() + " " + ObjectStreamClass.lookup(String.class).getSerialVersionUID() + " " + ObjectStreamClass.lookup(Object.class));
        try {
            byte[] cut = Arrays.copyOf(bytes(a), 60);
            read(cut);
        } catch (EOFException x) {
            System.out.println("EOF");
        }
        try {
            read(new byte[]{1, 2, 3, 4});
        } catch (StreamCorruptedException x) {
            System.out.println(x.getMessage());
        }
        ObjectInputStream fi = new ObjectInputStream(new ByteArrayInputStream(bytes(a)));
        fi.setObjectInputFilter(info -> info.serialClass() == Node.class ? ObjectInputFilter.Status.REJECTED : ObjectInputFilter.Status.ALLOWED);
        try {
            fi.readObject();
        } catch (InvalidClassException x) {
            System.out.println(x.getMessage());
        }
        ByteArrayOutputStream bo = new ByteArrayOutputStream();
        ObjectOutputStream oo = new ObjectOutputStream(bo);
        Node m = new Node("first");
        oo.writeObject(m); m.n = "second"; oo.writeObject(m); oo.reset(); oo.writeObject(m); oo.writeUnshared("u"); oo.writeInt(7); oo.close();
        ObjectInputStream oi = new ObjectInputStream(new ByteArrayInputStream(bo.toByteArray()));
        System.out.println(((Node) oi.readObject()).n + " " + ((Node) oi.readObject()).n + " " + ((Node) oi.readObject()).n + " " + oi.readObject() + oi.readInt());
        System.out.println(bytes(1, "two", new int[]{3}).length + " " + Arrays.hashCode(bytes(new Rec(1, "z"), E.A, new Ext(3, null))));
    }
}
