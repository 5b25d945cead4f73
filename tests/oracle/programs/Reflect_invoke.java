// Reflection, proxies, class loading by name and method handles call application methods from the library.
import java.lang.invoke.*;
import java.lang.reflect.*;
import java.util.*;

public class Reflect_invoke {
    interface Greeter { String greet(String n); default String twice(String n) { return greet(n) + greet(n); } }
    static class Target { int n; public Target() { n = start(); } static int start() { return 3; } public int add(int x) { return helper(x) + n; } private int helper(int x) { return x * 2; } public static int st(int x) { return x + 1; } public void fail() { throw new IllegalStateException("f"); } }
    static class Handler implements InvocationHandler {
        int calls;
        public Object invoke(Object p, Method m, Object[] a) throws Throwable { calls++; return m.getName().equals("greet") ? hello((String) a[0]) : InvocationHandler.invokeDefault(p, m, a); }
        static String hello(String n) { return "hi " + n; }
    }
    public static void main(String[] args) throws Throwable {
        Method add = Target.class.getMethod("add", int.class), st = Target.class.getMethod("st", int.class), fail = Target.class.getMethod("fail");
        Constructor<Target> c = Target.class.getConstructor();
        int s = 0;
        for (int i = 0; i < 40; i++) {
            Target t = c.newInstance();
            s += (Integer) add.invoke(t, i) + (Integer) st.invoke(null, i) + t.add(1) + Target.st(2);
            try { fail.invoke(t); } catch (InvocationTargetException e) { s++; }
        }
        Handler h = new Handler();
        Greeter g = (Greeter) Proxy.newProxyInstance(Reflect_invoke.class.getClassLoader(), new Class<?>[]{Greeter.class}, h);
        for (int i = 0; i < 5; i++) s += g.greet("x").length() + g.twice("y").length();
        MethodHandle mh = MethodHandles.lookup().findVirtual(Target.class, "add", MethodType.methodType(int.class, int.class));
        Object viaList = mh.invokeWithArguments(List.of(new Target(), 4));
        s += (Integer) viaList + h.calls;
        System.out.println(s);
    }
}
