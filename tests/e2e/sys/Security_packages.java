// vm: -Djava.security.manager=allow
// stderr: ignore
import java.nio.charset.Charset;
import java.security.Permission;
import java.util.TreeSet;

// Packages for which a security manager is asked when classes refer to others: never those of the same protection
// domain; for arrays those of the elements. A rejection applies only where it occurred.
public class Security_packages {
    static final TreeSet<String> asked = new TreeSet<>();

    static class Listening extends SecurityManager {
        public void checkPermission(Permission p) { }
        public void checkPackageAccess(String name) { if (!name.startsWith("java.")) asked.add(name); }
    }
    static class Refusing extends Listening {
        public void checkPackageAccess(String name) {
            super.checkPackageAccess(name);
            if (name.equals("sun.misc")) throw new SecurityException("no " + name);
        }
    }

    static class Own { }
    static class Refers { static Object own() { return new Own[2][3]; } }
    static class Other { static String name() { return sun.misc.Signal[].class.getName(); } }
    static class Again { static String name() { return sun.misc.Unsafe.class.getName(); } }

    interface Action { Object run() throws Exception; }

    static void show(String what, Action action) {
        String result;
        asked.clear();
        try {
            result = String.valueOf(action.run());
        } catch (Throwable t) {
            result = t.toString();
        }
        System.out.println(what + ": " + result + " " + asked);
    }

    static void charsets() {
        for (String name : new String[] {"SJIS_0213", "IBM037", "Big5"}) show(name, () -> Charset.forName(name));
    }

    public static void main(String[] args) {
        System.setSecurityManager(new Listening());
        show("own", () -> Refers.own().getClass().getName());
        show("other", () -> Other.name());
        System.setSecurityManager(new Refusing());
        show("refused", () -> Again.name());
        show("refused", () -> Again.name());
        System.setSecurityManager(new SecurityManager());
        charsets();
        show("loadClass", () -> Class.forName("sun.nio.cs.ext.SJIS_0213"));
    }
}
