// Local, anonymous, member and lambda classes: names, enclosing methods, modifiers, nests, declaring classes.
import java.lang.reflect.*;
import java.util.*;

public class Enclosing_classes {
    static Object field = new Object() { };
    Object inst = new Object() { };
    Class<?> ctor;
    static Class<?> init;
    static { class InInit { } init = InInit.class; }
    Enclosing_classes() { class InCtor { class Deeper { } } ctor = InCtor.Deeper.class; }
    static <Z> Class<?> local(int a, String... b) { class Local1 { } return Local1.class; }
    private static abstract class Priv { protected static final class Prot { } interface Im { } enum En { X { } } record Re() { } @interface An { } }
    class $Dollar$ { }

    static void show(Class<?> c) {
        System.out.println(c.getName() + " | " + c.getSimpleName() + " | " + c.getCanonicalName() + " | " + c.getTypeName() + " | " + Modifier.toString(c.getModifiers()));
        System.out.println("  enclosing " + c.getEnclosingClass() + ", method " + c.getEnclosingMethod() + ", constructor " + c.getEnclosingConstructor() + ", declaring " + c.getDeclaringClass() + " " + c.isAnonymousClass() + c.isLocalClass() + c.isMemberClass() + " host " + c.getNestHost().getSimpleName());
    }

    public static void main(String[] args) {
        show(Enclosing_classes.class);
        show(field.getClass());
        show(new Enclosing_classes().inst.getClass());
        show(new Enclosing_classes().ctor);
        show(new Enclosing_classes().ctor.getEnclosingClass());
        show(init);
        show(local(1));
        for (Class<?> c : new Class<?>[]{Priv.class, Priv.Prot.class, Priv.Im.class, Priv.En.class, Priv.En.X.getClass(), Priv.Re.class, Priv.An.class, $Dollar$.class, int.class, int[].class, Priv[][].class}) show(c);
        Runnable r = () -> { };
        System.out.println(r.getClass().isAnonymousClass() + " " + r.getClass().isLocalClass() + " " + r.getClass().isSynthetic() + " " + r.getClass().isHidden() + " " + r.getClass().getEnclosingMethod() + " " + r.getClass().getSimpleName().startsWith("Enclosing_classes$$Lambda$"));
        Set<String> members = new TreeSet<>();
        for (Class<?> c : Enclosing_classes.class.getDeclaredClasses()) members.add(c.getSimpleName());
        for (Class<?> c : Priv.class.getDeclaredClasses()) members.add(c.getSimpleName());
        System.out.println(members + " " + Enclosing_classes.class.getClasses().length + " " + Enclosing_classes.class.getNestMembers().length);
        System.out.println(new Object() { Object o = new Object() { }; }.o.getClass().getName());
    }
}
