// Serialization calls private and public hooks of the application's classes.
import java.io.*;
import java.util.*;

public class Serial_callbacks {
    static class A implements Serializable {
        private static final long serialVersionUID = 1;
        int v = 1; transient int t; A next;
        A(int v, A next) { this.v = v; this.next = next; }
        private void writeObject(ObjectOutputStream o) throws IOException { o.defaultWriteObject(); o.writeInt(extra()); }
        private void readObject(ObjectInputStream i) throws IOException, ClassNotFoundException { i.defaultReadObject(); t = i.readInt() + extra(); }
        private int extra() { return v * 2; }
        private Object readResolve() { return touch(this); }
        static A touch(A a) { return a; }
    }
    public static class E implements Externalizable {
        int x;
        public E() { this(3); }
        E(int x) { this.x = x; }
        @Override public void writeExternal(ObjectOutput o) throws IOException { o.writeInt(val()); }
        @Override public void readExternal(ObjectInput i) throws IOException { x = i.readInt() + val(); }
        int val() { return x; }
    }
    static class Stream extends OutputStream { final ByteArrayOutputStream b = new ByteArrayOutputStream(); int n; @Override public void write(int c) { count(1); b.write(c); } @Override public void write(byte[] x, int o, int l) { count(l); b.write(x, o, l); } private void count(int k) { n += k; } }
    public static void main(String[] args) throws Exception {
        Stream s = new Stream();
        try (ObjectOutputStream o = new ObjectOutputStream(s)) {
            o.writeObject(new A(1, new A(2, new A(3, null))));
            for (int i = 0; i < 4; i++) o.writeObject(new E(i));
        }
        try (ObjectInputStream i = new ObjectInputStream(new ByteArrayInputStream(s.b.toByteArray()))) {
            A a = (A) i.readObject();
            int sum = a.t + a.next.next.t;
            for (int k = 0; k < 4; k++) sum += ((E) i.readObject()).x;
            System.out.println(sum + " " + s.n);
        }
    }
}
