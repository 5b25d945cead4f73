// Dynamic proxies: dispatch, Object methods, default methods, primitives, exceptions, several interfaces.
import java.lang.reflect.*;
import java.util.*;

public class Proxy_handlers {
    interface Calc { int add(int a, long b); boolean flag(); char ch(); double dbl(float f); void nothing(); String[] arr(int... xs); default String hello(String n) { return "hello " + n + add(1, 2L); } }
    interface Risky { void io() throws java.io.IOException; int other(); }

    public static void main(String[] args) throws Exception {
        List<String> log = new ArrayList<>();
        InvocationHandler h = (p, m, a) -> {
            log.add(m.getName() + (a == null ? "" : Arrays.deepToString(a)));
            switch (m.getName()) {
                case "add": return ((Integer) a[0]) + ((Long) a[1]).intValue();
                case "flag": return true;
                case "ch": return 'z';
                case "dbl": return ((Float) a[0]) * 2.0;
                case "arr": return new String[]{"n" + ((int[]) a[0]).length};
                case "hashCode": return 77;
                case "equals": return p == a[0];
                case "toString": return "proxy!";
                case "hello": return InvocationHandler.invokeDefault(p, m, a);
                case "io": throw new java.io.IOException("declared");
                case "other": return a == null ? (Object) "not an int" : null;
                default: return null;
            }
        };
        Object o = Proxy.newProxyInstance(Proxy_handlers.class.getClassLoader(), new Class<?>[]{Calc.class, Risky.class, Comparable.class}, h);
        Calc c = (Calc) o;
        System.out.println(c.add(2, 40L) + " " + c.flag() + " " + c.ch() + " " + c.dbl(1.25f) + " " + c.arr(1, 2, 3)[0] + " " + c.hello("you"));
        c.nothing();
        System.out.println(c + " " + c.hashCode() + " " + c.equals(c) + " " + c.equals("x") + " " + Proxy.isProxyClass(c.getClass()) + " " + (Proxy.getInvocationHandler(c) == h) + " " + c.getClass().getSimpleName().startsWith("$Proxy") + " " + Arrays.toString(c.getClass().getInterfaces()));
        try {
            ((Risky) o).io();
        } catch (java.io.IOException e) {
            System.out.println(e.getMessage());
        }
        try {
            ((Risky) o).other();
        } catch (ClassCastException e) {
            System.out.println("CCE");
        }
        Runnable thrower = (Runnable) Proxy.newProxyInstance(Proxy_handlers.class.getClassLoader(), new Class<?>[]{Runnable.class}, (p, m, a) -> { throw new Exception("undeclared"); });
        try {
            thrower.run();
        } catch (UndeclaredThrowableException e) {
            System.out.println(e.getCause().getMessage());
        }
        try {
            Calc n = (Calc) Proxy.newProxyInstance(Proxy_handlers.class.getClassLoader(), new Class<?>[]{Calc.class}, (p, m, a) -> null);
            n.add(1, 2);
        } catch (NullPointerException e) {
            System.out.println("null for int");
        }
        try {
            Proxy.newProxyInstance(Proxy_handlers.class.getClassLoader(), new Class<?>[]{String.class}, h);
        } catch (IllegalArgumentException e) {
            System.out.println(e.getMessage());
        }
        System.out.println(log);
        Class<?> k1 = c.getClass();
        Class<?> k2 = Proxy.newProxyInstance(Proxy_handlers.class.getClassLoader(), new Class<?>[]{Calc.class, Risky.class, Comparable.class}, h).getClass();
        System.out.println(k1 == k2);
    }
}
