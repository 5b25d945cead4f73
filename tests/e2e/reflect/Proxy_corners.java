// Proxies: clashing methods, Object's methods, default methods, checked exceptions, null for primitives, equality.
import java.lang.reflect.*;
import java.util.*;

public class Proxy_corners {
    interface A { int num(); default String hello() { return "default A " + num(); } String same(Object o); }
    interface B { String same(Object o) throws java.io.IOException; void checked() throws java.io.FileNotFoundException; }
    public interface C { Number cov(); }
    public interface D extends C { Integer cov(); }
    interface Gen<T extends Comparable<T>> { T pick(T a, T b); }
    static <T> T make(InvocationHandler h, Class<?>... is) { @SuppressWarnings("unchecked") T t = (T) Proxy.newProxyInstance(Proxy_corners.class.getClassLoader(), is, h); return t; }
    interface Op { Object run() throws Throwable; }
    static void t(String what, Op o) { try { System.out.println(what + ": " + o.run()); } catch (Throwable e) { System.out.println(what + ": " + e + (e.getCause() == null ? "" : " <- " + e.getCause())); } }

    public static void main(String[] args) {
        InvocationHandler h = (p, m, a) -> {
            if (m.isDefault()) return InvocationHandler.invokeDefault(p, m, a);
            switch (m.getName()) {
                case "num": return 5;
                case "same": return m.getDeclaringClass().getSimpleName() + a[0];
                case "hashCode": return 77;
                case "equals": return p == a[0];
                case "toString": return "proxy " + (a == null);
                default: return null;
            }
        };
        A a = make(h, A.class, B.class);
        t("default", a::hello);
        t("same", () -> a.same("x") + ((B) a).same("y"));
        t("object", () -> a.hashCode() + " " + a.equals(a) + " " + a.equals("x") + " " + a + " " + (a.getClass() != null));
        t("order", () -> ((A) make(h, B.class, A.class)).same("z"));
        t("null primitive", () -> ((A) make((p, m, x) -> null, A.class)).num());
        t("wrong type", () -> ((A) make((p, m, x) -> "text", A.class)).num());
        t("long for int", () -> ((A) make((p, m, x) -> 5L, A.class)).num());
        t("checked allowed", () -> { ((B) make((p, m, x) -> { throw new java.io.FileNotFoundException("f"); }, B.class)).checked(); return 0; });
        t("checked not allowed", () -> { ((B) make((p, m, x) -> { throw new java.io.IOException("io"); }, B.class)).checked(); return 0; });
        t("clash of throws", () -> ((B) make((p, m, x) -> { throw new java.io.IOException("io"); }, A.class, B.class)).same(1));
        t("error", () -> ((A) make((p, m, x) -> { throw new StackOverflowError("own"); }, A.class)).num());
        t("covariant", () -> ((C) make((p, m, x) -> 3, D.class)).cov() + " " + ((D) make((p, m, x) -> 4, C.class, D.class)).cov());
        t("covariant wrong", () -> ((C) make((p, m, x) -> 3.5, D.class)).cov());
        t("generic", () -> ((Gen<String>) make((p, m, x) -> x[0], Gen.class)).pick("l", "r"));
        t("not an interface", () -> make(h, String.class));
        t("twice", () -> make(h, A.class, A.class));
        t("null handler", () -> make(null, A.class));
        t("none", () -> make(h).toString());
        t("invisible", () -> Proxy.newProxyInstance(null, new Class<?>[]{A.class}, h));
        t("sealed", () -> make(h, Seal.class));
        t("class", () -> { Class<?> c = a.getClass(); return Proxy.isProxyClass(c) + " " + Modifier.toString(c.getModifiers()) + " " + Arrays.toString(c.getInterfaces()) + " " + c.getPackageName().isEmpty() + " " + (c == make(h, A.class, B.class).getClass()) + " " + (c == make(h, B.class, A.class).getClass()) + " " + (Proxy.getInvocationHandler(a) == h); });
        t("public package", () -> make(h, C.class).getClass().getPackageName() + " " + Modifier.toString(make(h, C.class).getClass().getModifiers()));
        t("handler of other", () -> Proxy.getInvocationHandler("x"));
        t("invokeDefault wrong", () -> InvocationHandler.invokeDefault(a, A.class.getDeclaredMethod("num")));
        t("proxied method object", () -> { Method[] got = new Method[1]; ((A) make((p, m, x) -> { got[0] = m; return 1; }, A.class)).num(); return got[0] + " " + got[0].getDeclaringClass().getSimpleName(); });
        t("arguments", () -> { Object[][] got = new Object[1][]; ((A) make((p, m, x) -> { got[0] = x; return "r"; }, A.class)).same(9); return Arrays.toString(got[0]); });
    }
    sealed interface Seal permits SealImpl { }
    record SealImpl() implements Seal { }
}
