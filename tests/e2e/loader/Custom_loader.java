// Custom class loaders: separate copies of classes, delegation, statics per loader, casts between loaders, findClass.
import java.io.*;
import java.util.*;

public class Custom_loader {
    static int count = 0;
    public static class Payload implements java.util.function.Supplier<String> {
        static int n;
        public String get() { return "payload " + ++n + " " + (getClass().getClassLoader() instanceof Own) + " " + Custom_loader.class.getClassLoader().equals(getClass().getClassLoader()); }
        @Override public boolean equals(Object o) { return o instanceof Payload; }
        @Override public int hashCode() { return 1; }
    }

    static class Own extends ClassLoader {
        final List<String> asked = new ArrayList<>();
        Own(String name, ClassLoader p) { super(name, p); }
        @Override protected Class<?> loadClass(String n, boolean resolve) throws ClassNotFoundException {
            synchronized (getClassLoadingLock(n)) {
                Class<?> c = findLoadedClass(n);
                if (c != null) return c;
                if (n.startsWith("Custom_loader")) { asked.add(n); return findClass(n); }
                return super.loadClass(n, resolve);
            }
        }
        @Override protected Class<?> findClass(String n) throws ClassNotFoundException {
            try (InputStream in = getParent().getResourceAsStream(n.replace('.', '/') + ".class")) {
                if (in == null) throw new ClassNotFoundException("mine: " + n);
                byte[] b = in.readAllBytes();
                return defineClass(n, b, 0, b.length);
            } catch (IOException e) {
                throw new ClassNotFoundException(n, e);
            }
        }
        Class<?> again(String n, byte[] b) { return defineClass(n, b, 0, b.length); }
    }

    @SuppressWarnings("unchecked")
    public static void main(String[] args) throws Exception {
        ClassLoader app = Custom_loader.class.getClassLoader();
        Own a = new Own("A", app), b = new Own("B", app);
        Class<?> ka = a.loadClass("Custom_loader$Payload"), kb = b.loadClass("Custom_loader$Payload");
        System.out.println((ka == kb) + " " + (ka == Payload.class) + " " + ka.getName().equals(kb.getName()) + " " + ka.getClassLoader().getName() + " " + (a.loadClass("Custom_loader$Payload") == ka) + " " + a.getParent().getName());
        java.util.function.Supplier<String> sa = (java.util.function.Supplier<String>) ka.getConstructor().newInstance(), sb = (java.util.function.Supplier<String>) kb.getConstructor().newInstance();
        System.out.println(sa.get() + "; " + sa.get() + "; " + sb.get() + "; " + new Payload().get());
        System.out.println(sa.equals(sb) + " " + sa.equals(ka.getConstructor().newInstance()) + " " + (sa instanceof Payload));
        try {
            Payload p = (Payload) (Object) sa;
        } catch (ClassCastException e) {
            System.out.println(e.getMessage().replaceAll("@[0-9a-f]+", "@"));
        }
        System.out.println(a.asked);
        try {
            a.loadClass("Custom_loader$None");
        } catch (ClassNotFoundException e) {
            System.out.println(e.getMessage());
        }
        try {
            a.again("Custom_loader$Payload", app.getResourceAsStream("Custom_loader$Payload.class").readAllBytes());
        } catch (LinkageError e) {
            System.out.println(e.getMessage().replaceAll("@[0-9a-f]+", "@"));
        }
        try {
            a.again("Wrong$Name", app.getResourceAsStream("Custom_loader$Payload.class").readAllBytes());
        } catch (NoClassDefFoundError e) {
            System.out.println(e.getMessage());
        }
        try {
            a.again("java.lang.Evil", app.getResourceAsStream("Custom_loader$Payload.class").readAllBytes());
        } catch (SecurityException e) {
            System.out.println(e.getMessage());
        }
        for (byte[] bad : new byte[][]{{}, {1, 2, 3, 4, 5, 6, 7, 8}, {(byte) 0xca, (byte) 0xfe, (byte) 0xba, (byte) 0xbe, 0, 0, 0, 99, 0, 0}, {(byte) 0xca, (byte) 0xfe, (byte) 0xba, (byte) 0xbe, 0, 0, 0, 52, 0, 9}}) {
            try {
                a.again("Bad", bad);
            } catch (ClassFormatError e) {
                System.out.println(e.getClass().getSimpleName());
            }
        }
        Class<?> forName = Class.forName("Custom_loader$Payload", true, b);
        System.out.println((forName == kb) + " " + Class.forName("[LCustom_loader$Payload;", false, a).getComponentType().getClassLoader().getName() + " " + Class.forName("java.lang.String", true, a).getClassLoader());
        Thread.currentThread().setContextClassLoader(a);
        System.out.println(Thread.currentThread().getContextClassLoader() == a);
        System.out.println(ClassLoader.getPlatformClassLoader().getName() + " " + ClassLoader.getSystemClassLoader().getName() + " " + ClassLoader.getSystemClassLoader().getParent().getName() + " " + ClassLoader.getPlatformClassLoader().getParent() + " " + a.getUnnamedModule().isNamed());
    }
}
