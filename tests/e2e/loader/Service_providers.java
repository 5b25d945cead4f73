// ServiceLoader over a custom loader: order, comments, provider methods, broken entries, failures, streams, reload.
import java.io.*;
import java.net.*;
import java.util.*;
import java.util.stream.*;

public class Service_providers {
    public interface Speaker { String say(); }
    public static class One implements Speaker { static int made; public One() { made++; } public String say() { return "one"; } }
    public static class Two implements Speaker { public String say() { return "two"; } }
    public static class NotOne { }
    public static class Fails implements Speaker { public Fails() { throw new IllegalStateException("cannot"); } public String say() { return "fails"; } }
    public static class Hidden implements Speaker { private Hidden() { } public String say() { return "hidden"; } }
    static abstract class Abs implements Speaker { }
    public static class InitFails implements Speaker { static { if (true) throw new Error("init"); } public String say() { return "init"; } }

    static ClassLoader with(String... texts) {
        return new ClassLoader(Service_providers.class.getClassLoader()) {
            @Override public Enumeration<URL> getResources(String n) throws IOException {
                if (!n.equals("META-INF/services/Service_providers$Speaker")) return super.getResources(n);
                List<URL> us = new ArrayList<>();
                for (String t : texts) us.add(new URL(null, "text:x", new URLStreamHandler() {
                    @Override protected URLConnection openConnection(URL u) { return new URLConnection(u) { @Override public void connect() { } @Override public InputStream getInputStream() { return new ByteArrayInputStream(t.getBytes()); } }; }
                }));
                return Collections.enumeration(us);
            }
        };
    }

    static void walk(String what, String... texts) {
        ServiceLoader<Speaker> l = ServiceLoader.load(Speaker.class, with(texts));
        Iterator<Speaker> i = l.iterator();
        StringBuilder b = new StringBuilder(what);
        for (int n = 0; n < 20; n++) {
            try { if (!i.hasNext()) break; b.append(' ').append(i.next().say()); } catch (ServiceConfigurationError e) { b.append(" [").append(e.getMessage().replace("text:x", "URL")).append(e.getCause() == null ? "" : " <- " + e.getCause()).append(']'); }
        }
        System.out.println(b);
    }

    public static void main(String[] args) {
        String p = "Service_providers$";
        walk("plain", p + "One\n" + p + "Two\n");
        walk("comments", "# nothing\n\n  " + p + "Two # after\n" + p + "One");
        walk("twice", p + "One\n" + p + "One\n", p + "Two\n" + p + "One\n");
        walk("absent", p + "One\n" + p + "Absent\n" + p + "Two\n");
        walk("not a subtype", p + "NotOne\n" + p + "Two\n");
        walk("fails", p + "Fails\n" + p + "Two\n");
        walk("hidden", p + "Hidden\n" + p + "One\n");
        walk("abstract", p + "Abs\n" + p + "One\n");
        walk("initialiser fails", p + "InitFails\n" + p + "One\n");
        walk("syntax", p + "One two\n" + p + "One\n");
        walk("bad name", "1x\n" + p + "One\n");
        walk("none");
        One.made = 0;
        ServiceLoader<Speaker> l = ServiceLoader.load(Speaker.class, with(p + "One\n" + p + "Two\n"));
        System.out.println(l.stream().map(x -> x.type().getSimpleName()).collect(Collectors.toList()) + " " + One.made + " " + l.findFirst().get().say() + " " + One.made);
        for (Speaker s : l) s.say();
        l.iterator().next();
        System.out.println(One.made);
        l.reload();
        l.iterator().next();
        System.out.println(One.made + " " + l);
    }
}
