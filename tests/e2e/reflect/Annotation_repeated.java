// Repeatable annotations with inheritance: containers written by hand, inherited and hidden ones, by type and declared.
import java.lang.annotation.*;
import java.util.*;

public class Annotation_repeated {
    @Retention(RetentionPolicy.RUNTIME) @Inherited @Repeatable(Many.class) @interface One { int value(); }
    @Retention(RetentionPolicy.RUNTIME) @Inherited @interface Many { One[] value(); }
    @Retention(RetentionPolicy.RUNTIME) @Repeatable(Locals.class) @interface Local { String value() default "d"; }
    @Retention(RetentionPolicy.RUNTIME) @interface Locals { Local[] value(); }
    @One(1) @One(2) @Local static class P { }
    static class C extends P { }
    @One(3) static class D extends P { }
    @Many({@One(4), @One(5)}) static class E extends D { }
    @Many({}) static class F extends P { }
    @Local("a") @Local("b") static class G extends P { }
    @One(6) @Many({@One(7), @One(8)}) static class H { }
    interface I { }
    @One(9) interface J extends I { }
    static class K implements J { }

    public static void main(String[] args) throws Exception {
        for (Class<?> c : new Class<?>[]{P.class, C.class, D.class, E.class, F.class, G.class, H.class, J.class, K.class}) {
            System.out.println(c.getSimpleName() + " " + c.getAnnotation(One.class) + " " + c.isAnnotationPresent(Many.class) + " " + Arrays.toString(c.getAnnotationsByType(One.class)) + " " + Arrays.toString(c.getDeclaredAnnotationsByType(One.class)) + " " + c.getAnnotationsByType(Local.class).length + " " + c.getAnnotations().length + " " + c.getDeclaredAnnotations().length);
        }
        One a = P.class.getAnnotationsByType(One.class)[0], b = C.class.getAnnotation(Many.class).value()[0];
        System.out.println(a.equals(b) + " " + (a.hashCode() == b.hashCode()) + " " + a.annotationType() + " " + a.hashCode());
        System.out.println(P.class.getAnnotation(Local.class).equals(new Local() { public String value() { return "d"; } public Class<? extends Annotation> annotationType() { return Local.class; } }));
    }
}
