// Annotations: all member types, defaults, inheritance, repetition, parameters, type use, equality.
import java.lang.annotation.*;
import java.lang.reflect.*;
import java.util.*;

public class Annotation_values {
    enum Level { LOW, HIGH }

    @Retention(RetentionPolicy.RUNTIME) @Inherited
    @interface Full {
        boolean z() default true; byte b() default 1; char c() default 'c'; short s() default 2; int i() default 3; long l() default 4; float f() default 5; double d() default 6;
        String str() default "s"; Class<?> cls() default Object.class; Level lev() default Level.LOW; Tag tag() default @Tag("inner"); int[] ints() default {1, 2}; String[] strs() default {}; Class<?>[] classes() default {int.class, String[].class}; Level[] levels() default {Level.HIGH}; Tag[] tags() default {@Tag("a"), @Tag("b")};
    }
    @Retention(RetentionPolicy.RUNTIME) @Repeatable(Tags.class) @interface Tag { String value(); int n() default 0; }
    @Retention(RetentionPolicy.RUNTIME) @interface Tags { Tag[] value(); }
    @Retention(RetentionPolicy.CLASS) @interface Invisible { }
    @Retention(RetentionPolicy.RUNTIME) @Target({ElementType.TYPE_USE, ElementType.TYPE_PARAMETER}) @interface Use { String value() default ""; }

    @Full(i = 42, strs = {"x", "y"}, cls = List.class, lev = Level.HIGH, tag = @Tag(value = "own", n = 9)) @Invisible
    static class P { }
    static class C extends P { }

    @Tag("one") @Tag("two") @Deprecated(since = "5", forRemoval = true)
    public static @Use("ret") String method(@Tag("param") int a, @Full(str = "p") String b) throws @Use("thr") Exception { return null; }
    @Tag("field") @Use("ft") Map<@Use("key") String, @Use("val") int[]> field;
    static class G<@Use("tp") T extends @Use("bound") Number> extends @Use("sup") ArrayList<@Use("arg") T> { }

    public static void main(String[] args) throws Exception {
        Full f = P.class.getAnnotation(Full.class);
        System.out.println(f);
        System.out.println(f.i() + " " + f.strs()[1] + " " + f.cls() + " " + f.tag().n() + " " + f.tags().length + " " + f.levels()[0] + " " + f.annotationType().getSimpleName());
        System.out.println(C.class.isAnnotationPresent(Full.class) + " " + C.class.getDeclaredAnnotations().length + " " + P.class.getAnnotations().length + " " + f.equals(C.class.getAnnotation(Full.class)) + " " + (f.hashCode() == C.class.getAnnotation(Full.class).hashCode()));
        f.ints()[0] = 100;
        System.out.println(f.ints()[0]);
        Method m = Annotation_values.class.getMethod("method", int.class, String.class);
        System.out.println(m.getAnnotationsByType(Tag.class).length + " " + m.getAnnotation(Tag.class) + " " + m.getAnnotation(Tags.class).value()[1].value() + " " + m.getAnnotation(Deprecated.class));
        for (Annotation[] as : m.getParameterAnnotations()) System.out.println(as.length + " " + as[0].annotationType().getSimpleName());
        System.out.println(m.getParameters()[0].getAnnotation(Tag.class).value() + " " + m.getAnnotatedReturnType().getAnnotation(Use.class).value() + " " + m.getAnnotatedExceptionTypes()[0].getAnnotation(Use.class).value());
        Field fd = Annotation_values.class.getDeclaredField("field");
        AnnotatedParameterizedType at = (AnnotatedParameterizedType) fd.getAnnotatedType();
        System.out.println(fd.getAnnotation(Tag.class).value() + " " + at.getAnnotation(Use.class).value() + " " + at.getAnnotatedActualTypeArguments()[0].getAnnotation(Use.class).value());
        System.out.println(G.class.getTypeParameters()[0].getAnnotation(Use.class).value() + " " + G.class.getTypeParameters()[0].getAnnotatedBounds()[0].getAnnotation(Use.class).value() + " " + G.class.getAnnotatedSuperclass().getAnnotation(Use.class).value());
        System.out.println(Full.class.getMethod("i").getDefaultValue() + " " + Arrays.toString((int[]) Full.class.getMethod("ints").getDefaultValue()) + " " + Tag.class.getMethod("value").getDefaultValue());
    }
}
