// Reflection across classes, packages and modules: rejections, their messages, setAccessible and canAccess.
import java.lang.invoke.*;
import java.lang.reflect.*;

public class Access_refusals {
    interface Op { Object run() throws Throwable; }
    static void t(String what, Op o) { try { System.out.println(what + ": " + o.run()); } catch (InvocationTargetException e) { System.out.println(what + " threw " + e.getCause()); } catch (Throwable e) { System.out.println(what + ": " + e.getClass().getSimpleName() + " " + String.valueOf(e.getMessage()).replaceAll("@[0-9a-f]+", "@")); } }

    public static void main(String[] args) throws Exception {
        t("private method", () -> { Method m = Other_refused.class.getDeclaredMethod("priv"); return m.invoke(new Other_refused(1)); });
        t("private field", () -> Other_refused.class.getDeclaredField("x").get(new Other_refused(1)));
        t("private constructor", () -> Other_refused.class.getDeclaredConstructor().newInstance());
        t("opened", () -> { Method m = Other_refused.class.getDeclaredMethod("priv"); m.setAccessible(true); return m.invoke(new Other_refused(1)) + " " + m.canAccess(new Other_refused(1)); });
        t("package method", () -> Other_refused.class.getDeclaredMethod("pack").invoke(new Other_refused(1)));
        t("nestmate", () -> In.class.getDeclaredMethod("priv").invoke(new In()));
        t("canAccess", () -> Other_refused.class.getDeclaredMethod("priv").canAccess(new Other_refused(1)) + " " + Other_refused.class.getDeclaredMethod("pack").canAccess(new Other_refused(1)) + " " + String.class.getMethod("length").canAccess("x"));
        t("canAccess static", () -> Integer.class.getMethod("parseInt", String.class).canAccess("x"));
        t("canAccess none", () -> String.class.getMethod("length").canAccess(null));
        t("module private", () -> { Method m = String.class.getDeclaredMethod("isLatin1"); m.setAccessible(true); return 0; });
        t("try", () -> String.class.getDeclaredMethod("isLatin1").trySetAccessible());
        t("not exported", () -> Class.forName("sun.security.provider.Sun").getConstructor().newInstance());
        t("not exported static", () -> Class.forName("jdk.internal.misc.VM").getMethod("isBooted").invoke(null));
        t("exported", () -> Class.forName("java.util.ArrayList").getConstructor().newInstance());
        t("protected clone", () -> Object.class.getDeclaredMethod("clone").invoke(new Access_refusals()));
        t("class constructor", () -> { Constructor<?> c = Class.class.getDeclaredConstructors()[0]; c.setAccessible(true); return 0; });
        t("hidden implementation", () -> java.util.List.of(1).getClass().getMethod("size").invoke(java.util.List.of(1)));
        t("interface method", () -> java.util.List.class.getMethod("size").invoke(java.util.List.of(1)));
        t("lookup private", () -> MethodHandles.lookup().findVirtual(Other_refused.class, "priv", MethodType.methodType(String.class)));
        t("lookup absent", () -> MethodHandles.lookup().findVirtual(Other_refused.class, "none", MethodType.methodType(String.class)));
        t("lookup module", () -> MethodHandles.lookup().findStatic(Class.forName("jdk.internal.misc.VM"), "isBooted", MethodType.methodType(boolean.class)));
        t("privateLookupIn", () -> (String) MethodHandles.privateLookupIn(Other_refused.class, MethodHandles.lookup()).findVirtual(Other_refused.class, "priv", MethodType.methodType(String.class)).invoke(new Other_refused(1)));
        t("privateLookupIn base", () -> MethodHandles.privateLookupIn(String.class, MethodHandles.lookup()));
        t("unreflect", () -> MethodHandles.lookup().unreflect(Other_refused.class.getDeclaredMethod("priv")));
        t("static as virtual", () -> MethodHandles.lookup().findVirtual(Integer.class, "parseInt", MethodType.methodType(int.class, String.class)));
        t("virtual as static", () -> MethodHandles.lookup().findStatic(String.class, "length", MethodType.methodType(int.class)));
        t("special", () -> MethodHandles.lookup().findSpecial(Object.class, "hashCode", MethodType.methodType(int.class), Integer.class));
        t("final setter", () -> MethodHandles.lookup().findSetter(In.class, "f", int.class));
        t("caller sensitive", () -> MethodHandles.publicLookup().findStatic(Class.class, "forName", MethodType.methodType(Class.class, String.class)).type());
        for (Op o : new Op[]{() -> Access_refusals.class.getDeclaredMethod("two", int.class, String.class).invoke(null, 1), () -> Access_refusals.class.getDeclaredMethod("two", int.class, String.class).invoke(null, "1", "2"), () -> Access_refusals.class.getDeclaredMethod("two", int.class, String.class).invoke(null, null, "2"), () -> Access_refusals.class.getDeclaredMethod("two", int.class, String.class).invoke(null, 'c', null), () -> Access_refusals.class.getDeclaredMethod("two", int.class, String.class).invoke(null, 5L, null), () -> String.class.getMethod("length").invoke(null), () -> String.class.getMethod("length").invoke(5), () -> String.class.getMethod("charAt", int.class).invoke("x", 9)}) t("invoke", o);
        t("abstract", () -> Number.class.getConstructor().newInstance());
        t("enum", () -> Thread.State.class.getDeclaredConstructors()[0].newInstance("X", 9));
        t("array arguments", () -> Access_refusals.class.getDeclaredMethod("var", Object[].class).invoke(null, (Object) new Object[]{1, 2}));
        t("array spread", () -> Access_refusals.class.getDeclaredMethod("var", Object[].class).invoke(null, new Object[]{1, 2}));
    }
    static String two(int a, String b) { return a + b; }
    static int var(Object... os) { return os.length; }
    static class In { final int f = 1; private String priv() { return "nest"; } }
}
class Other_refused { private int x; private Other_refused() { } Other_refused(int x) { this.x = x; } private String priv() { return "private " + x; } String pack() { return "package " + x; } }
