// Constructors: parameters, inner classes, exceptions, abstract classes, enums, private access.
import java.lang.reflect.*;
import java.util.*;

public class Constructor_new {
    final String made;
    Constructor_new() { made = "none"; }
    private Constructor_new(int x, String... rest) { made = x + Arrays.toString(rest); }
    Constructor_new(long wide, double d) { made = wide + "/" + d; }
    Constructor_new(Object fail) throws Exception { throw new Exception("ctor " + fail); }
    class Inner { final int v; Inner(int v) { this.v = v; } String up() { return made + v; } }
    static abstract class Abs { Abs() { } }
    enum E { A }
    record Rec(int a, String b) { Rec { if (a < 0) throw new IllegalArgumentException("neg"); } }

    interface Body { Object run() throws Throwable; }
    static void t(Body b) {
        try {
            System.out.println(b.run());
        } catch (InvocationTargetException e) {
            System.out.println("ITE " + e.getCause());
        } catch (Throwable e) {
            System.out.println(e.getClass().getSimpleName() + ": " + (e.getMessage() + "").replaceAll("@[0-9a-f]+", "@"));
        }
    }

    public static void main(String[] args) throws Exception {
        Class<Constructor_new> k = Constructor_new.class;
        t(() -> k.getDeclaredConstructor().newInstance().made);
        t(() -> k.getDeclaredConstructor(int.class, String[].class).newInstance(5, new String[]{"p", "q"}).made);
        t(() -> k.getDeclaredConstructor(long.class, double.class).newInstance(5, 2f).made);
        t(() -> k.getDeclaredConstructor(Object.class).newInstance("x"));
        t(() -> k.getDeclaredConstructor(long.class, double.class).newInstance(5));
        t(() -> k.getDeclaredConstructor(long.class, double.class).newInstance("a", 1));
        t(() -> k.getConstructors().length + " " + k.getDeclaredConstructors().length);
        t(() -> Inner.class.getDeclaredConstructor(Constructor_new.class, int.class).newInstance(new Constructor_new(), 3).up());
        t(() -> Inner.class.getDeclaredConstructors()[0].newInstance(null, 3).getClass().getSimpleName());
        t(() -> Abs.class.getDeclaredConstructor().newInstance());
        t(() -> E.class.getDeclaredConstructors()[0].newInstance("B", 1));
        t(() -> Rec.class.getDeclaredConstructor(int.class, String.class).newInstance(1, "z"));
        t(() -> Rec.class.getDeclaredConstructor(int.class, String.class).newInstance(-1, "z"));
        t(() -> String.class.getConstructor(char[].class).newInstance((Object) new char[]{'o', 'k'}));
        t(() -> Integer.class.getConstructor(int.class).newInstance(7));
        t(() -> Math.class.getDeclaredConstructor().newInstance());
        t(() -> Class.class.getDeclaredConstructors()[0].newInstance(null, null));
        t(() -> k.newInstance().made);
        RecordComponent[] rc = Rec.class.getRecordComponents();
        System.out.println(rc.length + " " + rc[0] + " " + rc[1].getAccessor().invoke(new Rec(3, "acc")) + " " + rc[1].getGenericType());
        Parameter[] ps = k.getDeclaredConstructor(int.class, String[].class).getParameters();
        System.out.println(ps[0] + " " + ps[1] + " " + ps[1].isVarArgs() + " " + ps[0].isNamePresent());
        StringBuilder sb = new StringBuilder();
        for (int i = 0; i < 30; i++) sb.append(k.getDeclaredConstructor(long.class, double.class).newInstance(i, i / 2.0).made.length());
        System.out.println(sb + " " + k.getDeclaredConstructor(long.class, double.class));
    }
}
