// Type annotations everywhere: nested generics, wildcards, arrays, receivers, bounds, inner classes, exceptions, records.
import java.lang.annotation.*;
import java.lang.reflect.*;
import java.util.*;

public class Annotation_onTypes {
    @Retention(RetentionPolicy.RUNTIME) @Target({ElementType.TYPE_USE, ElementType.TYPE_PARAMETER}) @interface T { int value(); }
    class Inner<X> { class Deep { } Inner() { } void m(@T(1) Annotation_onTypes.@T(2) Inner<@T(3) X> this) { } }
    @T(4) int @T(5) [] @T(6) [] arrays;
    Map<@T(7) ? extends @T(8) Number, ? super @T(9) List<@T(10) String @T(11) []>> map;
    @T(12) Annotation_onTypes.@T(13) Inner<@T(14) String>.@T(15) Deep deep;
    <@T(16) A extends @T(17) Number & @T(18) Comparable<@T(19) A>, B extends A> @T(20) A method(@T(21) B b, List<? extends @T(22) A>... rest) throws java.io.@T(23) IOException, @T(24) IllegalStateException { return null; }
    record R(@T(25) String a, List<@T(26) Integer> b) { }
    static class S<Y> extends @T(27) HashMap<@T(28) String, @T(29) Y> implements @T(30) Runnable, @T(31) Cloneable { public void run() { } }

    static String show(AnnotatedType t) {
        StringBuilder b = new StringBuilder();
        for (Annotation a : t.getDeclaredAnnotations()) b.append('@').append(((T) a).value()).append(' ');
        if (t instanceof AnnotatedArrayType x) b.append("array of (").append(show(x.getAnnotatedGenericComponentType())).append(')');
        else if (t instanceof AnnotatedParameterizedType x) { b.append(((ParameterizedType) x.getType()).getRawType().getTypeName()).append('<'); for (AnnotatedType y : x.getAnnotatedActualTypeArguments()) b.append(show(y)).append(", "); b.append('>'); }
        else if (t instanceof AnnotatedWildcardType x) { b.append("? up"); for (AnnotatedType y : x.getAnnotatedUpperBounds()) b.append(' ').append(show(y)); b.append(" low"); for (AnnotatedType y : x.getAnnotatedLowerBounds()) b.append(' ').append(show(y)); }
        else b.append(t.getType().getTypeName());
        if (t.getAnnotatedOwnerType() != null) b.append(" in (").append(show(t.getAnnotatedOwnerType())).append(')');
        return b.toString();
    }

    public static void main(String[] args) throws Exception {
        Class<?> c = Annotation_onTypes.class;
        for (String f : new String[]{"arrays", "map", "deep"}) System.out.println(f + ": " + show(c.getDeclaredField(f).getAnnotatedType()));
        Method m = null;
        for (Method x : c.getDeclaredMethods()) if (x.getName().equals("method")) m = x;
        System.out.println(show(m.getAnnotatedReturnType()));
        for (AnnotatedType t : m.getAnnotatedParameterTypes()) System.out.println("param " + show(t));
        for (AnnotatedType t : m.getAnnotatedExceptionTypes()) System.out.println("throws " + show(t));
        for (TypeVariable<Method> v : m.getTypeParameters()) { System.out.print("var " + v + " " + Arrays.toString(v.getAnnotations())); for (AnnotatedType t : v.getAnnotatedBounds()) System.out.print(" bound " + show(t)); System.out.println(); }
        Method r = Inner.class.getDeclaredMethod("m");
        System.out.println("receiver " + show(r.getAnnotatedReceiverType()));
        System.out.println("static receiver " + c.getDeclaredMethod("show", AnnotatedType.class).getAnnotatedReceiverType());
        for (RecordComponent x : R.class.getRecordComponents()) System.out.println("component " + show(x.getAnnotatedType()));
        System.out.println("accessor " + show(R.class.getMethod("a").getAnnotatedReturnType()) + ", constructor " + show(R.class.getDeclaredConstructors()[0].getAnnotatedParameterTypes()[1]));
        System.out.println("super " + show(S.class.getAnnotatedSuperclass()));
        for (AnnotatedType t : S.class.getAnnotatedInterfaces()) System.out.println("interface " + show(t));
        System.out.println(c.getDeclaredField("map").getAnnotatedType());
        System.out.println(Object.class.getAnnotatedSuperclass() + " " + Runnable.class.getAnnotatedInterfaces().length);
    }
}
