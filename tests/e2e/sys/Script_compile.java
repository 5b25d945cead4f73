// The Java compiler called through its API inside the program: compile, load, run, diagnostics.
// timeout: 180
import java.io.*;
import java.net.*;
import java.nio.file.*;
import java.util.*;
import javax.tools.*;

public class Script_compile {
    static class Mem extends SimpleJavaFileObject {
        final String text;
        Mem(String name, String text) { super(URI.create("string:///" + name + ".java"), Kind.SOURCE); this.text = text; }
        @Override public CharSequence getCharContent(boolean ignore) { return text; }
    }

    public static void main(String[] args) throws Exception {
        JavaCompiler c = ToolProvider.getSystemJavaCompiler();
        Files.createDirectory(Path.of("out"));
        DiagnosticCollector<JavaFileObject> ds = new DiagnosticCollector<>();
        boolean ok = c.getTask(null, null, ds, List.of("-d", "out"), null, List.of(new Mem("Gen", "public class Gen { public static String hi(int n) { var s = new StringBuilder(); for (int i = 0; i < n; i++) s.append(i).append(','); return s.toString(); } }"))).call();
        System.out.println(ok + " " + ds.getDiagnostics().size() + " " + Files.exists(Path.of("out/Gen.class")));
        try (URLClassLoader u = new URLClassLoader(new URL[]{Path.of("out").toUri().toURL()})) {
            System.out.println(u.loadClass("Gen").getMethod("hi", int.class).invoke(null, 5));
        }
        ok = c.getTask(null, null, ds, List.of("-d", "out"), null, List.of(new Mem("Bad", "class Bad { int x = \"s\"; void m() { undefined(); } }"))).call();
        System.out.println(ok);
        for (Diagnostic<?> d : ds.getDiagnostics()) System.out.println(d.getKind() + " " + d.getLineNumber() + " " + d.getCode() + " " + d.getMessage(Locale.ROOT).split("\n")[0]);
    }
}
