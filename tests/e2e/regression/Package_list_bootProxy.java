import java.lang.reflect.Proxy;
import java.util.*;

/** A proxy in a dynamic module of the boot loader does not add a package without a description. */
public final class Package_list_bootProxy {
    @Deprecated static final class Old { }

    public static void main(String[] args) {
        Object r = Proxy.newProxyInstance(null, new Class<?>[] {Runnable.class}, (p, m, a) -> null);
        ((Runnable) r).run();
        System.out.println(Old.class.isAnnotationPresent(Deprecated.class));
        Set<String> names = new TreeSet<>();
        for (Package p : Package.getPackages()) names.add(p.getName());
        System.out.println(names.contains("java.util") + " " + names.contains("java.lang.reflect"));
        System.out.println(Package.getPackage("java.lang").getName());
    }
}
