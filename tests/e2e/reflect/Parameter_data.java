// Parameters: names, modifiers, mandated and synthetic ones of inner classes, varargs, annotations, generic types.
import java.lang.annotation.*;
import java.lang.reflect.*;
import java.util.*;

public class Parameter_data {
    @Retention(RetentionPolicy.RUNTIME) @interface P { int value(); }
    class Inner { Inner(@P(1) String a, final int b) { } }
    enum E { X("t") { }; E(@P(2) String s) { } }
    record R(@P(3) int a, List<String> b) { R { } }
    static <T> void m(@P(4) T t, List<? super T>[] ls, int @P2 ... rest) { }
    @Retention(RetentionPolicy.RUNTIME) @Target(ElementType.TYPE_USE) @interface P2 { }
    Object local(int captured) { class Local { final int y; Local(@P(5) long x) { y = captured; } } return new Local(1); }
    Object anon(String s) { return new ArrayList<String>(List.of(s)) { String keep = s; }; }

    static String annotations(Parameter p) {
        try { return Arrays.toString(p.getAnnotations()); } catch (ArrayIndexOutOfBoundsException e) { return e.getMessage(); }
    }

    static void show(Executable e) {
        System.out.println(e.getName().replaceAll("\\$\\d.*", "") + " " + e.getParameterCount() + " " + e.isVarArgs() + " " + Arrays.deepToString(e.getParameterAnnotations()) + " generic " + e.getGenericParameterTypes().length);
        for (Parameter p : e.getParameters()) System.out.println("  " + p + " named " + p.isNamePresent() + " mandated " + p.isImplicit() + " synthetic " + p.isSynthetic() + " var " + p.isVarArgs() + " mods " + p.getModifiers() + " " + p.getParameterizedType().getTypeName() + " " + annotations(p));
    }

    public static void main(String[] args) throws Exception {
        show(Inner.class.getDeclaredConstructors()[0]);
        show(E.class.getDeclaredConstructors()[0]);
        show(E.class.getDeclaredMethod("valueOf", String.class));
        show(R.class.getDeclaredConstructors()[0]);
        show(R.class.getDeclaredMethod("equals", Object.class));
        for (Method m : Parameter_data.class.getDeclaredMethods()) if (m.getName().equals("m")) show(m);
        show(new Parameter_data().local(3).getClass().getDeclaredConstructors()[0]);
        show(new Parameter_data().anon("x").getClass().getDeclaredConstructors()[0]);
        System.out.println(Parameter_data.class.getDeclaredMethod("anon", String.class).getParameters()[0].equals(Parameter_data.class.getDeclaredMethod("anon", String.class).getParameters()[0]));
    }
}
