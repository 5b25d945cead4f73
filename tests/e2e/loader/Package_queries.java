// Packages and resources of classes: names, annotations, definePackage, relative and absolute resources, loaders.
import java.net.URL;
import java.util.*;

public class Package_queries {
    static class Def extends ClassLoader {
        Package def(String n) { return definePackage(n, "spec", "1.2", "vendor", "impl", "3.4", "iv", null); }
        Package[] all() { return getDefinedPackages(); }
    }
    public static void main(String[] args) throws Exception {
        System.out.println(Package_queries.class.getPackage().getName().isEmpty() + " [" + Package_queries.class.getPackageName() + "] " + String.class.getPackage() + " " + int.class.getPackageName() + " " + int[][].class.getPackageName() + " " + Map.Entry[].class.getPackageName() + " " + int.class.getPackage() + " " + String[].class.getPackage());
        Def d = new Def();
        Package p = d.def("my.pack");
        System.out.println(p + " | " + p.getSpecificationTitle() + " " + p.getImplementationVersion() + " " + p.isSealed() + " " + (d.getDefinedPackage("my.pack") == p) + " " + d.all().length + " " + d.getDefinedPackage("none"));
        try { d.def("my.pack"); } catch (IllegalArgumentException e) { System.out.println(e.getMessage()); }
        try { p.isCompatibleWith("x"); } catch (NumberFormatException e) { System.out.println("version"); }
        System.out.println(Package.getPackage("java.util").getName() + " " + Package.getPackage("no.such.pack"));
        URL u = String.class.getResource("String.class");
        System.out.println(u.getProtocol() + " " + u.getPath() + " " + (ClassLoader.getSystemResource("java/lang/Object.class").equals(Object.class.getResource("/java/lang/Object.class"))));
        byte[] b = u.openStream().readNBytes(4);
        System.out.println(HexFormat.of().formatHex(b));
        System.out.println(Package_queries.class.getResource("Package_queries.class") != null);
        System.out.println(Package_queries.class.getResource("/Package_queries$Def.class").getProtocol() + " " + Package_queries.class.getResource("nothing") + " " + ClassLoader.getSystemResources("Package_queries.class").hasMoreElements());
        for (Class<?> c : new Class<?>[]{String.class, int[].class, Package_queries.class, Package_queries[].class, java.sql.Connection.class, int.class}) System.out.println(c.getSimpleName() + " " + (c.getClassLoader() == null ? "boot" : c.getClassLoader().getName()) + " " + (c.getModule().isNamed() ? c.getModule() : "unnamed"));
        System.out.println(Object.class.getModule().getDescriptor().isAutomatic() + " " + Package_queries.class.getModule().getDescriptor() + " " + ModuleLayer.boot().findModule("java.xml").get().getDescriptor().exports().size());
        System.out.println(String.class.getProtectionDomain().getCodeSource() + " " + (Package_queries.class.getProtectionDomain().getCodeSource().getLocation() != null));
        System.out.println(Package_queries.class.desiredAssertionStatus() + " " + String.class.isInstance("x") + " " + Object.class.getModule().isNamed());
    }
}
