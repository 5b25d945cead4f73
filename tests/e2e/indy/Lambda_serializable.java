// Serializable lambdas and method references: writeReplace, SerializedLambda, deserialisation, marker interfaces.
import java.io.*;
import java.lang.invoke.SerializedLambda;
import java.lang.reflect.Method;
import java.util.*;
import java.util.function.*;

public class Lambda_serializable {
    interface SF<A, B> extends Function<A, B>, Serializable { }
    interface Mark { }

    static Object copy(Object o) throws Exception {
        ByteArrayOutputStream b = new ByteArrayOutputStream();
        try (ObjectOutputStream out = new ObjectOutputStream(b)) { out.writeObject(o); }
        try (ObjectInputStream in = new ObjectInputStream(new ByteArrayInputStream(b.toByteArray()))) { return in.readObject(); }
    }

    @SuppressWarnings("unchecked")
    public static void main(String[] args) throws Exception {
        String cap = "captured";
        int n = 7;
        SF<String, String> f = s -> s + cap + n;
        SF<String, String> g = (SF<String, String>) copy(f);
        System.out.println(g.apply("in ") + " " + (f == g));
        SF<String, Integer> len = String::length;
        System.out.println(((SF<String, Integer>) copy(len)).apply("abcd"));
        Runnable r = (Runnable & Serializable) () -> System.out.println("ran");
        ((Runnable) copy(r)).run();
        Object m = (Runnable & Mark & Serializable) () -> { };
        System.out.println((copy(m) instanceof Mark) + " " + (m instanceof Runnable));
        Method w = f.getClass().getDeclaredMethod("writeReplace");
        w.setAccessible(true);
        SerializedLambda sl = (SerializedLambda) w.invoke(f);
        System.out.println(sl.getCapturingClass() + " " + sl.getFunctionalInterfaceClass() + " " + sl.getFunctionalInterfaceMethodName() + " " + sl.getImplMethodName().startsWith("lambda$main$") + " " + sl.getImplMethodKind() + " " + sl.getCapturedArgCount() + " " + sl.getCapturedArg(1));
        try {
            Function<String, String> plain = s -> s;
            copy(plain);
        } catch (NotSerializableException e) {
            System.out.println("not serializable " + e.getMessage().startsWith("Lambda_serializable$$Lambda$"));
        }
        Comparator<String> c = Comparator.comparing((Function<String, Integer> & Serializable) String::length).thenComparing(Comparator.naturalOrder());
        TreeSet<String> t = new TreeSet<>((Comparator<String>) copy(c));
        t.addAll(List.of("bb", "a", "ccc", "aa"));
        System.out.println(t);
    }
}
