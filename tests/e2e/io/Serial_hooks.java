// vm: -Xmx64m
// Serialization hooks: readResolve, writeReplace, readObjectNoData, validation, enums, lambdas, proxies, descriptors.
import java.io.*;
import java.lang.reflect.*;
import java.util.*;
import java.util.function.*;

public class Serial_hooks {
    static class A implements Serializable { protected Object readResolve() { return "resolved by A of " + getClass().getSimpleName(); } }
    static class B extends A { }
    static class P implements Serializable { private Object readResolve() { return "private"; } }
    static class PSub extends P { }
    static class W implements Serializable { int n; W(int n) { this.n = n; } Object writeReplace() throws ObjectStreamException { return n > 0 ? new W2(n - 1) : this; } }
    static class W2 implements Serializable { int n; W2(int n) { this.n = n; } Object writeReplace() { return n > 0 ? new W(n - 1) : this; } public String toString() { return "W2 " + n; } }
    static class Val implements Serializable, ObjectInputValidation, Comparable<Val> {
        int p; Val(int p) { this.p = p; } static List<Integer> order = new ArrayList<>();
        private void readObject(ObjectInputStream i) throws IOException, ClassNotFoundException { i.defaultReadObject(); i.registerValidation(this, p); }
        public void validateObject() throws InvalidObjectException { order.add(p); if (p == 13) throw new InvalidObjectException("thirteen"); }
        public int compareTo(Val o) { return p - o.p; }
    }
    enum E { A { int v() { return 1; } }, B; int n = 5; int v() { return 0; } private Object readResolve() { return "never"; } }
    static class Throwing implements Serializable { private void writeObject(ObjectOutputStream o) throws IOException { o.defaultWriteObject(); throw new IllegalStateException("while writing"); } }
    static class Cyc implements Serializable { Cyc self = this; Object[] arr = {this, null}; Map<Object, Object> m = new IdentityHashMap<>(Map.of("k", 1)); { m.put(this, arr); } }
    interface Supp extends Supplier<Object>, Serializable { }
    static class H implements InvocationHandler, Serializable { public Object invoke(Object p, Method m, Object[] a) { return m.getName().equals("get") ? "from proxy" : null; } }
    static class Raw implements Serializable { byte[] data = {1, 2}; private void writeObject(ObjectOutputStream o) throws IOException { o.write(data); o.writeObject("extra"); o.writeDouble(2.5); } private void readObject(ObjectInputStream i) throws IOException, ClassNotFoundException { data = new byte[4]; int n = i.read(data); data[3] = (byte) (n + i.available()); data[2] = (byte) i.readObject().toString().length(); i.readDouble(); try { i.readInt(); } catch (EOFException e) { data[0] = 99; } try { i.readObject(); } catch (OptionalDataException e) { data[1] = (byte) (e.eof ? 50 : 40); } } }

    static byte[] w(Object o) throws IOException { ByteArrayOutputStream b = new ByteArrayOutputStream(); try (ObjectOutputStream s = new ObjectOutputStream(b)) { s.writeObject(o); } return b.toByteArray(); }
    static Object r(byte[] b) throws Exception { return new ObjectInputStream(new ByteArrayInputStream(b)).readObject(); }

    public static void main(String[] args) throws Exception {
        System.out.println(r(w(new A())) + " " + r(w(new B())) + " " + r(w(new P())) + " " + r(w(new PSub())).getClass().getSimpleName() + " " + r(w(new W(3))) + " " + r(w(new W(4))).getClass().getSimpleName());
        System.out.println(r(w(new Val(3))) instanceof Val);
        r(w(new ArrayList<>(List.of(new Val(1), new Val(9), new Val(5)))));
        System.out.println(Val.order);
        try { r(w(new Val(13))); } catch (InvalidObjectException e) { System.out.println(e.getMessage()); }
        System.out.println((r(w(E.A)) == E.A) + " " + ((E[]) r(w(E.values())))[1].n + " " + r(w(E.class)) + " " + r(w(int[].class)) + " " + r(w(Supp.class)) + " " + r(w(void.class)));
        try { w(new Throwing()); } catch (IllegalStateException e) { System.out.println(e.getMessage()); }
        Cyc c = (Cyc) r(w(new Cyc()));
        System.out.println((c.self == c) + " " + (c.arr[0] == c) + " " + (c.m.get(c) == c.arr));
        int k = 7;
        System.out.println(((Supp) r(w((Supp) () -> "lambda " + k))).get() + " " + ((Supp) r(w((Supp) String::new))).get() + "|");
        @SuppressWarnings("unchecked") Supplier<Object> p = (Supplier<Object>) r(w(Proxy.newProxyInstance(Serial_hooks.class.getClassLoader(), new Class<?>[]{Supplier.class, Serializable.class}, new H())));
        System.out.println(p.get() + " " + Proxy.isProxyClass(p.getClass()));
        System.out.println(Arrays.toString(((Raw) r(w(new Raw()))).data));
        Object[] shared = {"s", "s", new String("s")};
        Object[] back = (Object[]) r(w(shared));
        System.out.println((back[0] == back[1]) + " " + (back[0] == back[2]));
        byte[] bytes = w(new Object[]{1, "two", new Date(3), E.B, new int[]{4}});
        int refused = 0, same = 0, other = 0;
        for (int i = 4; i < bytes.length; i++) { byte[] m = bytes.clone(); m[i] ^= 0x15; try { Object o = r(m); same++; } catch (IOException | ClassNotFoundException e) { refused++; } catch (RuntimeException | Error e) { other++; } }
        System.out.println((refused + same + other == bytes.length - 4) + " " + (refused > 20));
        ObjectInputFilter f = ObjectInputFilter.Config.createFilter("maxdepth=3;maxarray=4;!java.util.Date;java.base/*;!*");
        for (Object o : new Object[]{"x", 1, new Date(0), new int[5], new int[4], new ArrayList<>(List.of(1)), new B(), new Object[]{new Object[]{new Object[]{new Object[0]}}}}) { ObjectInputStream in = new ObjectInputStream(new ByteArrayInputStream(w(o))); in.setObjectInputFilter(f); try { System.out.print(in.readObject().getClass().getSimpleName() + " "); } catch (InvalidClassException e) { System.out.print("REJECTED "); } }
        System.out.println(f);
        ObjectStreamClass d = ObjectStreamClass.lookupAny(Object.class);
        System.out.println(d + " " + ObjectStreamClass.lookup(Object.class) + " " + Arrays.toString(ObjectStreamClass.lookup(W.class).getFields()) + " " + ObjectStreamClass.lookup(E.class).getSerialVersionUID() + " " + ObjectStreamClass.lookup(String.class).getSerialVersionUID());
    }
}
