// Module layers made at run time from hand-made classes: reads, exports, opens, qualified ones, resolution errors.
import java.io.*;
import java.lang.module.*;
import java.net.URI;
import java.nio.ByteBuffer;
import java.util.*;
import java.util.stream.*;

public class Module_layers extends Class_writer {
    Module_layers() { super(52, 0, "x", null); }

    static class Finder implements ModuleFinder {
        final Map<String, ModuleReference> all = new TreeMap<>();
        Finder add(ModuleDescriptor d, Class_writer... ws) {
            Map<String, byte[]> files = new TreeMap<>();
            for (Class_writer w : ws) files.put(w.name + ".class", w.bytes());
            all.put(d.name(), new ModuleReference(d, URI.create("mem:" + d.name())) {
                @Override public ModuleReader open() {
                    return new ModuleReader() {
                        public Optional<URI> find(String n) { return files.containsKey(n) ? Optional.of(URI.create("mem:" + n)) : Optional.empty(); }
                        public Optional<ByteBuffer> read(String n) { return Optional.ofNullable(files.get(n)).map(ByteBuffer::wrap); }
                        public Optional<InputStream> open(String n) { return Optional.ofNullable(files.get(n)).map(ByteArrayInputStream::new); }
                        public Stream<String> list() { return files.keySet().stream(); }
                        public void close() { }
                    };
                }
            });
            return this;
        }
        public Optional<ModuleReference> find(String n) { return Optional.ofNullable(all.get(n)); }
        public Set<ModuleReference> findAll() { return new HashSet<>(all.values()); }
    }

    static Class_writer caller(String name, String target) {
        Class_writer w = plain(name);
        w.addMethod(PUBLIC | STATIC, "go", "()I", 1, 0, INVOKESTATIC, w.method(target, "value", "()I"), IRETURN);
        return w;
    }
    static Class_writer value(String name, int v) { return plain(name).addMethod(PUBLIC | STATIC, "value", "()I", 1, 0, 16, v, IRETURN).addConstructor(); }

    static ModuleLayer layer(Finder f, String... roots) {
        return ModuleLayer.boot().defineModulesWithOneLoader(ModuleLayer.boot().configuration().resolve(f, ModuleFinder.of(), Set.of(roots)), Module_layers.class.getClassLoader());
    }

    public static void main(String[] args) throws Throwable {
        Finder f = new Finder()
            .add(ModuleDescriptor.newModule("lib").exports("lib.pub").exports("lib.some", Set.of("friend")).opens("lib.open").packages(Set.of("lib.pub", "lib.some", "lib.open", "lib.priv")).build(),
                value("lib/pub/V", 1), value("lib/some/V", 2), value("lib/open/V", 3), value("lib/priv/V", 4))
            .add(ModuleDescriptor.newModule("user").requires("lib").packages(Set.of("user")).build(), caller("user/Pub", "lib/pub/V"), caller("user/Some", "lib/some/V"), caller("user/Open", "lib/open/V"), caller("user/Priv", "lib/priv/V"))
            .add(ModuleDescriptor.newModule("friend").requires("lib").packages(Set.of("friend")).build(), caller("friend/Some", "lib/some/V"), caller("friend/Priv", "lib/priv/V"))
            .add(ModuleDescriptor.newModule("stranger").packages(Set.of("stranger")).build(), caller("stranger/Pub", "lib/pub/V"));
        ModuleLayer l = layer(f, "user", "friend", "stranger");
        for (String n : new String[]{"user.Pub", "user.Some", "user.Open", "user.Priv", "friend.Some", "friend.Priv", "stranger.Pub"}) {
            String module = n.substring(0, n.indexOf('.'));
            show(n, () -> call(l.findLoader(module).loadClass(n), "go"));
        }
        Module lib = l.findModule("lib").get(), user = l.findModule("user").get();
        System.out.println(lib + " " + user.canRead(lib) + " " + lib.canRead(user) + " " + lib.isExported("lib.pub") + " " + lib.isExported("lib.some", user) + " " + lib.isOpen("lib.open") + " " + lib.isOpen("lib.pub") + " " + new TreeSet<>(lib.getPackages()));
        System.out.println(l.modules().stream().map(Module::getName).sorted().collect(Collectors.toList()) + " " + l.parents().size() + " " + lib.getLayer().equals(l) + " " + l.findModule("java.base").get());
        for (String p : new String[]{"pub", "some", "open", "priv"}) kind("reflect " + p, () -> { var c = l.findLoader("lib").loadClass("lib." + p + ".V").getConstructor(); return c.newInstance() != null; });
        kind("add exports", () -> lib.addExports("lib.priv", user));
        System.out.println(Class.forName(lib, "lib.pub.V") + " " + Class.forName(lib, "user.Pub"));
        String[][] wrong = {{"needs.absent"}, {"two.same"}, {"circle.a"}};
        Finder g = new Finder().add(ModuleDescriptor.newModule("needs.absent").requires("no.such").build())
            .add(ModuleDescriptor.newModule("circle.a").requires("circle.b").build()).add(ModuleDescriptor.newModule("circle.b").requires("circle.a").build())
            .add(ModuleDescriptor.newModule("one.p").exports("same").build()).add(ModuleDescriptor.newModule("other.p").exports("same").build()).add(ModuleDescriptor.newModule("two.same").requires("one.p").requires("other.p").build());
        for (String[] w : wrong) kind(w[0], () -> layer(g, w));
        show("descriptor", () -> ModuleDescriptor.newModule("d", Set.of(ModuleDescriptor.Modifier.OPEN)).version("1.2").uses("x.Y").provides("p.S", List.of("q.I")).mainClass("q.Main").build());
        for (String bad : new String[]{"1a", "a..b", "a.class", ""}) kind("name " + bad, () -> ModuleDescriptor.newModule(bad).build());
        System.out.println(ModuleDescriptor.Version.parse("1.10").compareTo(ModuleDescriptor.Version.parse("1.9")) + " " + ModuleDescriptor.Version.parse("1.0-ea").compareTo(ModuleDescriptor.Version.parse("1.0")));
    }
}
