// ServiceLoader over the class path, URLClassLoader over directories and jars, resource lookup, bundles.
import java.io.*;
import java.net.*;
import java.nio.file.*;
import java.util.*;
import java.util.jar.*;

public class Service_loading {
    public interface Greeter { String greet(); }
    public static class One implements Greeter { public String greet() { return "one"; } }
    public static class Two implements Greeter { public String greet() { return "two"; } }
    public static class Bad implements Greeter { public Bad() { throw new IllegalStateException("bad provider"); } public String greet() { return ""; } }

    public static void main(String[] args) throws Exception {
        Path d = Path.of("extra");
        Files.createDirectories(d.resolve("META-INF/services"));
        Files.writeString(d.resolve("META-INF/services/Service_loading$Greeter"), "# providers\nService_loading$One\nService_loading$Bad\nService_loading$Two # end\nno.such.Provider\n");
        Files.writeString(d.resolve("data.txt"), "resource text");
        Files.writeString(d.resolve("Msg.properties"), "hello=Hello\nonly=base");
        Files.writeString(d.resolve("Msg_de.properties"), "hello=Hallo");
        try (JarOutputStream j = new JarOutputStream(new FileOutputStream("lib.jar"))) {
            j.putNextEntry(new JarEntry("in/jar.txt"));
            j.write("in the jar".getBytes());
            j.closeEntry();
            j.putNextEntry(new JarEntry("Service_loading$One.class"));
            j.write(Service_loading.class.getResourceAsStream("Service_loading$One.class").readAllBytes());
            j.closeEntry();
        }
        try (URLClassLoader u = new URLClassLoader("urls", new URL[]{d.toUri().toURL(), Path.of("lib.jar").toUri().toURL()}, Service_loading.class.getClassLoader())) {
            Iterator<Greeter> it = ServiceLoader.load(Greeter.class, u).iterator();
            while (true) {
                try {
                    if (!it.hasNext()) break;
                    System.out.println(it.next().greet());
                } catch (ServiceConfigurationError e) {
                    System.out.println(e.getMessage() + " <- " + e.getCause());
                }
            }
            System.out.println(new String(u.getResourceAsStream("data.txt").readAllBytes()) + " " + new String(u.getResourceAsStream("in/jar.txt").readAllBytes()) + " " + u.getResource("nope") + " " + Collections.list(u.getResources("data.txt")).size() + " " + u.getResource("in/jar.txt").getProtocol());
            System.out.println(u.loadClass("Service_loading$One") == One.class);
            ResourceBundle b = ResourceBundle.getBundle("Msg", Locale.GERMAN, u), e = ResourceBundle.getBundle("Msg", Locale.ROOT, u);
            System.out.println(b.getString("hello") + " " + b.getString("only") + " " + e.getString("hello") + " " + new TreeSet<>(b.keySet()));
            try {
                b.getString("none");
            } catch (MissingResourceException x) {
                System.out.println(x.getMessage());
            }
            try {
                ResourceBundle.getBundle("Nope", Locale.ROOT, u);
            } catch (MissingResourceException x) {
                System.out.println(x.getMessage());
            }
        }
        try (URLClassLoader iso = new URLClassLoader(new URL[]{Path.of("lib.jar").toUri().toURL()}, null)) {
            try {
                iso.loadClass("Service_loading$One");
            } catch (NoClassDefFoundError e) {
                System.out.println("missing " + e.getMessage());
            }
            try {
                iso.loadClass("Service_loading");
            } catch (ClassNotFoundException e) {
                System.out.println(e.getMessage());
            }
        }
        System.out.println(Service_loading.class.getResource("/Service_loading.class") != null);
        System.out.println(Object.class.getResource("Object.class").getProtocol() + " " + (ClassLoader.getSystemResourceAsStream("java/lang/String.class").readAllBytes().length > 1000));
        System.out.println(ServiceLoader.load(Greeter.class).findFirst().isPresent() + " " + ServiceLoader.load(java.nio.file.spi.FileSystemProvider.class).stream().anyMatch(p -> p.type().getSimpleName().equals("ZipFileSystemProvider")));
    }
}
