// vm: -Xmx96m -XX:+UseG1GC
// Impossible sizes of arrays, strings, builders, collections and buffers: each has its message; the VM survives.
import java.lang.reflect.Array;
import java.nio.*;
import java.util.*;

public class Array_sizes {
    interface Op { Object run() throws Exception; }
    static void t(String what, Op o) { try { Object r = o.run(); System.out.println(what + ": " + (r == null ? "null" : r.getClass().getSimpleName())); } catch (Throwable e) { System.out.println(what + ": " + e); } }

    public static void main(String[] args) {
        t("max bytes", () -> new byte[Integer.MAX_VALUE]);
        t("max longs", () -> new long[Integer.MAX_VALUE]);
        t("max less two", () -> new Object[Integer.MAX_VALUE - 2]);
        t("big ints", () -> new int[1 << 28]);
        t("multi", () -> new int[1 << 20][1 << 10]);
        t("negative", () -> new int[-1]);
        t("negative inside", () -> new int[3][-2]);
        t("newInstance", () -> Array.newInstance(Object.class, Integer.MAX_VALUE));
        t("clone", () -> { byte[] b = new byte[60 << 20]; return b.clone(); });
        t("repeat", () -> "ab".repeat(Integer.MAX_VALUE));
        t("repeat less", () -> "ab".repeat(1 << 29));
        t("repeat negative", () -> "x".repeat(-1));
        t("builder", () -> new StringBuilder(Integer.MAX_VALUE));
        t("builder negative", () -> new StringBuilder(-5));
        t("builder append", () -> { StringBuilder b = new StringBuilder("0123456789abcdef"); while (true) b.append(b); });
        t("list", () -> new ArrayList<>(Integer.MAX_VALUE));
        t("list negative", () -> new ArrayList<>(-1));
        t("map", () -> { Map<Integer, Integer> m = new HashMap<>(1 << 30); m.put(1, 1); return m; });
        t("copyOf", () -> Arrays.copyOf(new int[1], Integer.MAX_VALUE));
        t("copyOfRange", () -> Arrays.copyOfRange(new int[4], 3, 2));
        t("direct", () -> ByteBuffer.allocateDirect(Integer.MAX_VALUE));
        t("direct negative", () -> ByteBuffer.allocateDirect(-1));
        t("heap buffer", () -> ByteBuffer.allocate(Integer.MAX_VALUE));
        t("objects", () -> { List<Object> l = new LinkedList<>(); while (true) l.add(new long[1000]); });
        t("small after all", () -> new byte[1 << 20]);
        t("bytes of text", () -> new String(new char[100]).getBytes("UTF-16"));
        t("nCopies", () -> Collections.nCopies(Integer.MAX_VALUE, "x").toArray());
    }
}
