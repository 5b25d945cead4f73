// The module system at run time: descriptors, layers, exports, reads, strong encapsulation.
import java.lang.module.*;
import java.util.*;
import java.util.stream.*;

public class Module_queries {
    public static void main(String[] args) throws Exception {
        Module b = Object.class.getModule(), u = Module_queries.class.getModule();
        System.out.println(b.getName() + " " + b.isNamed() + " " + u.isNamed() + " " + u.getName() + " " + b.isExported("java.lang") + " " + b.isExported("jdk.internal.misc") + " " + b.isOpen("java.lang") + " " + b.isExported("jdk.internal.misc", u) + " " + u.canRead(b) + " " + b.canRead(u));
        System.out.println(b.getDescriptor().name() + " " + b.getDescriptor().exports().stream().anyMatch(e -> e.source().equals("java.util")) + " " + b.getPackages().contains("java.io") + " " + b.getDescriptor().requires().isEmpty());
        ModuleLayer boot = ModuleLayer.boot();
        System.out.println(boot.findModule("java.base").get() == b);
        System.out.println(boot.modules().stream().map(Module::getName).filter(n -> n.equals("java.logging") || n.equals("java.xml") || n.equals("jdk.compiler")).sorted().collect(Collectors.toList()) + " " + boot.parents().size());
        System.out.println(ModuleFinder.ofSystem().find("java.sql").get().descriptor().requires().stream().map(r -> r.name()).sorted().collect(Collectors.toList()));
        System.out.println(Class.forName(b, "java.util.ArrayList") + " " + Class.forName(b, "no.Such") + " " + Class.forName("java.sql.Connection").getModule().getName());
        try {
            Class.forName("jdk.internal.misc.Unsafe").getMethod("getUnsafe").invoke(null);
        } catch (IllegalAccessException e) {
            System.out.println(e.getMessage().replaceAll("@[0-9a-f]+", "@"));
        }
        ModuleDescriptor d = ModuleDescriptor.newModule("my.mod").requires("java.base").exports("p").version("1.2").packages(Set.of("p", "q")).build();
        System.out.println(d + " " + d.toNameAndVersion() + " " + d.packages().stream().sorted().toList() + " " + ModuleDescriptor.Version.parse("1.10").compareTo(ModuleDescriptor.Version.parse("1.9")));
        u.addExports("x", b);
        System.out.println(u.isExported("x") + " " + Module_queries.class.getPackage().isSealed());
        try {
            b.addExports("jdk.internal.misc", u);
        } catch (IllegalCallerException e) {
            System.out.println(e.getMessage().replaceAll("@[0-9a-f]+", "@"));
        }
        try (java.io.InputStream in = b.getResourceAsStream("java/lang/Object.class")) {
            System.out.println(in.read() == 0xca);
        }
    }
}
