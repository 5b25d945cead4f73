// Class objects: names, modifiers, hierarchy, kinds, arrays, primitives, packages, enclosing classes.
import java.lang.reflect.*;
import java.util.*;

public class Class_queries {
    interface I { }
    static abstract class A<T> implements I, Comparable<A<T>> { }
    final class Inner { class Deep { } }
    enum E { X { } }
    @interface An { }
    record R(int a) { }
    static Object local() { class Loc { } return new Loc(); }
    static Object anon() { return new Object() { }; }
    static Runnable lambda = () -> { };

    static void show(Class<?> c) {
        System.out.println(c.getName() + " | " + c.getSimpleName() + " | " + c.getCanonicalName() + " | " + c.getTypeName() + " | " + c + " | " + Modifier.toString(c.getModifiers()) + " | " + (c.getSuperclass() == null ? null : c.getSuperclass().getName())
            + " | " + c.isInterface() + c.isArray() + c.isPrimitive() + c.isEnum() + c.isAnnotation() + c.isRecord() + c.isAnonymousClass() + c.isLocalClass() + c.isMemberClass() + c.isSynthetic() + c.isHidden() + " | " + c.getPackageName() + " | " + c.descriptorString());
    }

    public static void main(String[] args) throws Exception {
        Class<?>[] cs = {int.class, void.class, int[].class, String[][].class, Object.class, Class_queries.class, I.class, A.class, Inner.class, Inner.Deep.class, E.class, E.X.getClass(), An.class, R.class, local().getClass(), anon().getClass(), Map.Entry.class, Override.class, boolean.class, Thread.State.class};
        for (Class<?> c : cs) show(c);
        System.out.println(lambda.getClass().isHidden() + " " + lambda.getClass().isSynthetic() + " " + lambda.getClass().getSimpleName().startsWith("Class_queries$$Lambda$") + " " + lambda.getClass().getCanonicalName() + " " + Arrays.toString(lambda.getClass().getInterfaces()));
        System.out.println(anon().getClass().getEnclosingMethod() + " " + local().getClass().getEnclosingClass() + " " + Inner.Deep.class.getDeclaringClass() + " " + anon().getClass().getDeclaringClass() + " " + E.X.getClass().getEnclosingClass() + " " + new Object() { }.getClass().getEnclosingMethod().getName());
        TreeSet<String> inner = new TreeSet<>();
        for (Class<?> c : Class_queries.class.getDeclaredClasses()) inner.add(c.getSimpleName());
        System.out.println(inner);
        System.out.println(Number.class.isAssignableFrom(Integer.class) + " " + Object.class.isAssignableFrom(int.class) + " " + int.class.isAssignableFrom(int.class) + " " + I.class.isAssignableFrom(A.class) + " " + Object[].class.isAssignableFrom(String[][].class) + " " + int.class.isInstance(5) + " " + Cloneable.class.isAssignableFrom(int[].class));
        System.out.println(Arrays.toString(A.class.getInterfaces()) + Arrays.toString(A.class.getGenericInterfaces()) + Arrays.toString(A.class.getTypeParameters()) + " " + Arrays.toString(int[].class.getInterfaces()) + int[].class.arrayType() + " " + int[][].class.componentType());
        System.out.println(Class.forName("[I") == int[].class);
        System.out.println(Class.forName("Class_queries$Inner$Deep") == Inner.Deep.class);
        System.out.println(Array.newInstance(int.class, 0).getClass() == int[].class);
        System.out.println(Class_queries.class.getModule().isNamed() + " " + Object.class.getModule() + " " + Class_queries.class.getPackage().getName().isEmpty() + " " + Object.class.getClassLoader() + " " + Class_queries.class.getClassLoader().getName() + " " + int.class.getClassLoader());
        System.out.println(Arrays.toString(E.class.getEnumConstants()) + " " + String.class.getEnumConstants() + " " + Class_queries.class.getProtectionDomain().getCodeSource().getLocation().getProtocol() + " " + E.class.desiredAssertionStatus());
        System.out.println(String.class.cast("x") + " " + Integer.class.asSubclass(Number.class).getSimpleName());
        try {
            String.class.asSubclass(Number.class);
        } catch (ClassCastException e) {
            System.out.println(e.getMessage());
        }
        System.out.println(A.class.toGenericString() + " " + E.class.toGenericString() + " " + R.class.toGenericString() + " " + An.class.toGenericString());
    }
}
