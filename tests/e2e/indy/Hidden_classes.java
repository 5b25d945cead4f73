// Hidden classes defined through Lookup: names, nest mates, class data, statics, unloading of the name.
import java.io.InputStream;
import java.lang.invoke.*;
import java.util.List;

class Hidden_template implements java.util.function.IntSupplier {
    static int made;
    final int id = ++made;
    public int getAsInt() { return id * 100 + peek(); }
    static int peek() { return 1; }
    @Override public String toString() { return "template " + id; }
}

public class Hidden_classes {
    private static int secret = 5;

    public static void main(String[] args) throws Throwable {
        byte[] bytes;
        try (InputStream in = Hidden_classes.class.getResourceAsStream("Hidden_template.class")) { bytes = in.readAllBytes(); }
        MethodHandles.Lookup l = MethodHandles.lookup();
        MethodHandles.Lookup a = l.defineHiddenClass(bytes, true), b = l.defineHiddenClass(bytes, true, MethodHandles.Lookup.ClassOption.NESTMATE);
        Class<?> ka = a.lookupClass(), kb = b.lookupClass();
        System.out.println((ka == kb) + " " + ka.isHidden() + " " + ka.getName().startsWith("Hidden_template/0x") + " " + ka.getSimpleName().startsWith("Hidden_template/") + " " + ka.getCanonicalName() + " " + ka.getPackageName().isEmpty() + " " + (ka.getClassLoader() == Hidden_classes.class.getClassLoader()));
        System.out.println((ka.getNestHost() == ka) + " " + (kb.getNestHost() == Hidden_classes.class) + " " + kb.isNestmateOf(Hidden_classes.class));
        java.util.function.IntSupplier s1 = (java.util.function.IntSupplier) a.findConstructor(ka, MethodType.methodType(void.class)).invoke();
        java.util.function.IntSupplier s2 = (java.util.function.IntSupplier) ka.getDeclaredConstructor().newInstance();
        java.util.function.IntSupplier s3 = (java.util.function.IntSupplier) b.findConstructor(kb, MethodType.methodType(void.class)).invoke();
        System.out.println(s1.getAsInt() + " " + s2.getAsInt() + " " + s3.getAsInt() + " " + s2 + " " + Hidden_template.made);
        try {
            Class.forName(ka.getName());
        } catch (ClassNotFoundException e) {
            System.out.println("not findable");
        }
        MethodHandles.Lookup d = l.defineHiddenClassWithClassData(bytes, List.of("data", 3), true);
        List<?> data = MethodHandles.classData(d, "_", List.class);
        System.out.println(data + " " + MethodHandles.classDataAt(d, "_", String.class, 0));
        try {
            l.defineHiddenClass(new byte[]{1, 2, 3}, true);
        } catch (ClassFormatError e) {
            System.out.println("CFE");
        }
        Class<?> arr = ka.arrayType();
        System.out.println(arr.isHidden() + " " + arr.getName().startsWith("[LHidden_template/0x") + " " + java.lang.reflect.Array.newInstance(ka, 2).getClass().isArray());
    }
}
