// URLClassLoader over a generated directory and jar: classes, resources, manifest packages, sealing, closing.
import java.io.*;
import java.net.*;
import java.nio.file.*;
import java.util.*;
import java.util.jar.*;

public class Url_loader {
    public static void main(String[] args) throws Exception {
        Path dir = Files.createDirectories(Path.of("dir")), jar = Path.of("made.jar");
        Files.createDirectories(dir.resolve("d"));
        Files.write(dir.resolve("d/InDir.class"), Class_writer.plain("d/InDir").bytes());
        Files.writeString(dir.resolve("d/text.txt"), "from dir");
        Manifest m = new Manifest();
        Attributes main = m.getMainAttributes();
        main.put(Attributes.Name.MANIFEST_VERSION, "1.0");
        main.put(Attributes.Name.IMPLEMENTATION_TITLE, "Made");
        Attributes sealed = new Attributes();
        sealed.put(Attributes.Name.SEALED, "true");
        sealed.put(Attributes.Name.SPECIFICATION_VERSION, "2.5.1");
        m.getEntries().put("j/", sealed);
        try (JarOutputStream o = new JarOutputStream(Files.newOutputStream(jar), m)) {
            for (String n : new String[]{"j/InJar", "k/Plain"}) { o.putNextEntry(new JarEntry(n + ".class")); o.write(Class_writer.plain(n).bytes()); o.closeEntry(); }
            for (String n : new String[]{"d/text.txt", "j/text.txt"}) { o.putNextEntry(new JarEntry(n)); o.write("from jar".getBytes()); o.closeEntry(); }
        }
        URLClassLoader l = new URLClassLoader("mine", new URL[]{dir.toUri().toURL(), jar.toUri().toURL()}, null);
        Class<?> a = l.loadClass("d.InDir"), b = l.loadClass("j.InJar"), k = l.loadClass("k.Plain");
        System.out.println(a + " " + b + " " + k + " " + l.getName());
        for (Class<?> c : new Class<?>[]{a, b, k}) { Package p = c.getPackage(); System.out.println(p.getName() + " " + p.isSealed() + " " + p.getImplementationTitle() + " " + p.getSpecificationVersion()); }
        System.out.println(b.getPackage().isCompatibleWith("2.4") + " " + b.getPackage().isCompatibleWith("2.5.2"));
        System.out.println(new String(l.getResourceAsStream("d/text.txt").readAllBytes()) + " " + new String(b.getResourceAsStream("text.txt").readAllBytes()) + " " + new String(a.getResourceAsStream("/j/text.txt").readAllBytes()) + " " + a.getResource("none"));
        for (URL u : Collections.list(l.findResources("d/text.txt"))) System.out.println(u.getProtocol() + " " + u.toString().replaceAll(".*/(dir|made)", "$1") + " " + u.openConnection().getContentLength());
        System.out.println(b.getProtectionDomain().getCodeSource().getLocation().getPath().endsWith("made.jar") + " " + Arrays.toString(b.getProtectionDomain().getCodeSource().getCertificates()));
        JarURLConnection c = (JarURLConnection) new URL("jar:" + jar.toUri() + "!/j/text.txt").openConnection();
        System.out.println(c.getEntryName() + " " + c.getJarEntry().getSize() + " " + c.getManifest().getMainAttributes().getValue("Implementation-Title"));
        for (String n : new String[]{"none.None", "d.text", "java.lang.String"}) try { System.out.println(l.loadClass(n)); } catch (ClassNotFoundException e) { System.out.println(e.getMessage()); }
        Files.write(dir.resolve("d/Wrong.class"), Class_writer.plain("d/Other").bytes());
        try { l.loadClass("d.Wrong"); } catch (NoClassDefFoundError e) { System.out.println(e.getMessage()); }
        Files.createDirectories(dir.resolve("j"));
        Files.write(dir.resolve("j/Intruder.class"), Class_writer.plain("j/Intruder").bytes());
        try { System.out.println(l.loadClass("j.Intruder")); } catch (SecurityException e) { System.out.println(e.getMessage()); }
        l.close();
        try { l.loadClass("j.Later"); } catch (ClassNotFoundException e) { System.out.println("closed " + e.getMessage()); }
        System.out.println(l.getResource("j/text.txt"));
    }
}
