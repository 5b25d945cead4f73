// Initialisation triggers and others: constants, arrays, literals, casts, instanceof, reflection, handles, subclasses.
import java.lang.invoke.*;
import java.lang.reflect.*;

public class Init_triggers {
    static void say(String s) { System.out.println("  init " + s); }
    static class C1 { static { say("C1"); } static final int K = 4; static final String S = "s"; static final Integer BOX = 5; }
    static class C2 { static { say("C2"); } static int v; }
    static class C3 extends C2 { static { say("C3"); } }
    static class C4 { static { say("C4"); } static void m() { } int f; }
    static class C5 { static { say("C5"); } static void m() { } }
    static class C6 { static { say("C6"); } static int v = 6; }
    static class C7 { static { say("C7"); } }
    static class C8 { static { say("C8"); } static int v = 1; }
    static class C9 { static { say("C9"); } }
    static class C10 { static { say("C10"); } C10() { } static int sf; int f; static void m() { } }
    interface I1 { int X = Integer.parseInt("5") + print("I1"); }
    interface I2 extends I1 { int Y = print("I2"); default void d() { } }
    interface I3 { int Z = print("I3"); }
    static class C11 implements I2, I3 { static { say("C11"); } }
    static int print(String s) { say(s); return 0; }
    interface Step { Object run() throws Throwable; }
    static void t(String what, Step s) { System.out.println(what); try { Object o = s.run(); if (o != null) System.out.println("  = " + o); } catch (Throwable e) { System.out.println("  " + e); } }

    public static void main(String[] args) {
        t("constant", () -> C1.K + C1.S);
        t("literal", () -> C1.class.getSimpleName());
        t("array", () -> new C1[3].length + new C1[2][2].length);
        t("cast", () -> (C1) (Object) null);
        t("instanceof", () -> (Object) "x" instanceof C1);
        t("boxed constant", () -> C1.BOX);
        t("inherited field", () -> C3.v);
        t("own class", () -> new C3() == null);
        t("forName without", () -> Class.forName("Init_triggers$C4", false, Init_triggers.class.getClassLoader()).getDeclaredMethods().length);
        t("modifiers", () -> C4.class.getModifiers() + C4.class.getDeclaredFields().length);
        t("forName", () -> Class.forName("Init_triggers$C4") == C4.class);
        t("find handle", () -> MethodHandles.lookup().findStatic(C5.class, "m", MethodType.methodType(void.class)).type());
        t("invoke handle", () -> { MethodHandles.lookup().findStatic(C5.class, "m", MethodType.methodType(void.class)).invoke(); return null; });
        t("var handle", () -> MethodHandles.lookup().findStaticVarHandle(C6.class, "v", int.class).varType());
        t("var handle get", () -> (int) MethodHandles.lookup().findStaticVarHandle(C6.class, "v", int.class).get());
        t("ensureInitialized", () -> MethodHandles.lookup().ensureInitialized(C7.class));
        t("getter", () -> MethodHandles.lookup().findStaticGetter(C8.class, "v", int.class).type());
        t("getter call", () -> (int) MethodHandles.lookup().findStaticGetter(C8.class, "v", int.class).invokeExact());
        t("accessClass", () -> MethodHandles.lookup().accessClass(C9.class).getSimpleName());
        t("findClass", () -> MethodHandles.lookup().findClass("Init_triggers$C9").getSimpleName());
        t("reflected object field", () -> { Field f = C10.class.getDeclaredField("sf"); return f.getName(); });
        t("reflected get", () -> C10.class.getDeclaredField("sf").getInt(null));
        t("interface subclass", () -> new C11() == null);
        t("interface field", () -> I3.Z);
        t("lambda", () -> { Runnable r = Lazy::m; return r == null; });
        t("lambda run", () -> { Runnable r = Lazy::m; r.run(); return null; });
        t("array class", () -> Class.forName("[LInit_triggers$Lazy2;").getName());
        t("array newInstance", () -> Array.newInstance(Lazy2.class, 2).getClass().getSimpleName());
        t("enum switch", () -> { Object o = Thread.State.NEW; return o instanceof Lazy2; });
        t("annotation", () -> Lazy2.class.isAnnotationPresent(Deprecated.class));
        t("serial", () -> java.io.ObjectStreamClass.lookup(Ser.class).getSerialVersionUID() != 0);
    }
    static class Lazy { static { say("Lazy"); } static void m() { say("m"); } }
    @Deprecated static class Lazy2 { static { say("Lazy2"); } }
    static class Ser implements java.io.Serializable { static { say("Ser"); } }
}
