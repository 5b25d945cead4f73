// Classes that were compiled against another version of a class: errors of linking and resolution, with the messages.
// Everything is compiled twice in one run of javac, in one package per case: T uses the first version of A, and runs
// with the second.
import java.io.ByteArrayOutputStream;
import java.io.OutputStream;
import java.net.URI;
import java.util.*;
import javax.tools.*;

public class Changed_classes {
    static final String[][] CASES = {
        // first A, second A, other sources, expression in T
        {"public class A { public int m() { return 1; } }", "public class A { public static int m() { return 2; } }", "", "new A().m()"},
        {"public class A { public static int m() { return 1; } }", "public class A { public int m() { return 2; } }", "", "A.m()"},
        {"public class A { public int m() { return 1; } }", "public class A { }", "", "new A().m()"},
        {"public class A { public int m(long l, String[][] s) { return 1; } }", "public class A { public int m(long l, Object s) { return 3; } }", "", "new A().m(1, null)"},
        {"public class A { int m() { return 1; } }", "public class A { private int m() { return 2; } }", "", "new A().m()"},
        {"public class A { public int f; }", "public class A { public static int f; }", "", "new A().f"},
        {"public class A { public static int f = 4; }", "public class A { public int f; }", "", "A.f"},
        {"public class A { public static int f = 4; }", "public class A { private static int f = 5; }", "", "A.f"},
        {"public class A { public static int f = 4; }", "public class A { public static long f = 5; }", "", "A.f"},
        {"public class A { public static int f = 4; }", "public class A { public static final int f = Integer.parseInt(\"6\"); }", "", "A.f = 3"},
        {"public class A { public int m() { return 1; } }", "public interface A { int m(); }", "", "new A().m()"},
        {"public interface A { int m(); }", "public abstract class A { public abstract int m(); }", "class B implements A { public int m() { return 5; } }", "((A) new B()).m()"},
        {"public class A { public int m() { return 1; } }", "public final class A { public int m() { return 1; } }", "class B extends A { }", "new B().m()"},
        {"public class A { public int m() { return 1; } }", "public interface A { default int m() { return 1; } }", "class B extends A { }", "new B().m()"},
        {"public class A { public int m() { return 1; } }", "public class A { public final int m() { return 1; } }", "class B extends A { public int m() { return 2; } }", "new B().m()"},
        {"public class A { public int m() { return 1; } }", "public abstract class A { public abstract int m(); }", "class B extends A { }", "new B().m()"},
        {"public class A { public int m() { return 1; } }", "public abstract class A { public int m() { return 1; } }", "", "new A().m()"},
        {"public interface A { int m(); }", "public interface A { int m(); int n(int[] a, String s); default int k() { return n(null, null); } }", "class B implements A { public int m() { return hash(); } int hash() { return 2; } }", "((A) new B()).m()"},
        {"public interface A { default int n() { return 1; } }", "public interface A { int n(); }", "class B implements A { }", "((A) new B()).n()"},
        {"public interface A { }", "public interface A { default int m() { return 1; } }", "interface I { default int m() { return 2; } } class B implements A, I { }", "new B().m()"},
        {"public interface A { static int m() { return 1; } }", "public interface A { private static int m() { return 1; } }", "", "A.m()"},
        {"public interface A { default int m() { return 1; } }", "public interface A { static int m() { return 1; } }", "class B implements A { }", "((A) new B()).m()"},
        {"public class A { public int m() { return 7; } }", "public sealed class A permits C { public int m() { return 8; } } final class C extends A { }", "class B extends A { }", "new B().m()"},
        {"public interface A { int m(); }", "public sealed interface A permits C { int m(); } final class C implements A { public int m() { return 1; } }", "class B implements A { public int m() { return 1; } } interface J extends A { }", "new B().m()"},
        {"public class A extends Base { } class Base { public int m() { return 1; } }", "public class A { }", "", "new A().m()"},
        {"public class A { public static class In { public static int m() { return 1; } } }", "public class A { private static class In { public static int m() { return 9; } } }", "", "A.In.m()"},
        {"public class A { protected int m() { return 1; } }", "public class A { int m() { return 11; } }", "", "new A().m()"},
        {"public class A { public A() { } }", "public class A { private A() { } }", "", "new A().hashCode() * 0"},
        {"public class A { public A() { } }", "public class A { public A(int i) { } }", "", "new A().hashCode() * 0"},
        {"public class A { }", "public class A { static { Object o = null; o.hashCode(); } }", "", "new A() == null ? 1 : 2"},
        {"public class A { public int m() { return 1; } }", "public class A { public int m() { return 2; } }", "class B extends A { public int m() { return super.m() + 10; } } class C extends B { int t() { return super.m() * 2; } }", "new C().t()"},
        {"public enum A { X, Y; }", "public enum A { Y; }", "", "switch (A.valueOf(\"Y\")) { case X -> 1; case Y -> 2; }"},
        {"public record A(int x) { }", "public record A(String x) { }", "", "new A(1).x()"},
    };

    static Map<String, byte[]> compile(List<String[]> sources) {
        Map<String, ByteArrayOutputStream> out = new HashMap<>();
        JavaCompiler javac = ToolProvider.getSystemJavaCompiler();
        StandardJavaFileManager std = javac.getStandardFileManager(null, null, null);
        JavaFileManager files = new ForwardingJavaFileManager<>(std) {
            @Override public JavaFileObject getJavaFileForOutput(Location l, String name, JavaFileObject.Kind k, FileObject sibling) {
                return new SimpleJavaFileObject(URI.create("mem:/" + name.replace('.', '/') + ".class"), k) {
                    @Override public OutputStream openOutputStream() {
                        ByteArrayOutputStream b = new ByteArrayOutputStream();
                        out.put(name, b);
                        return b;
                    }
                };
            }
        };
        List<JavaFileObject> units = new ArrayList<>();
        for (String[] s : sources)
            units.add(new SimpleJavaFileObject(URI.create("mem:/" + s[0] + ".java"), JavaFileObject.Kind.SOURCE) {
                @Override public CharSequence getCharContent(boolean ignore) { return s[1]; }
            });
        if (!javac.getTask(null, files, null, List.of("-proc:none", "-nowarn"), null, units).call()) throw new IllegalStateException("does not compile");
        Map<String, byte[]> result = new HashMap<>();
        out.forEach((name, bytes) -> result.put(name, bytes.toByteArray()));
        return result;
    }

    static class Mixed extends ClassLoader {
        final Map<String, byte[]> first, second;
        Mixed(Map<String, byte[]> first, Map<String, byte[]> second) {
            super("mixed", Changed_classes.class.getClassLoader());
            this.first = first;
            this.second = second;
        }
        @Override protected Class<?> findClass(String name) throws ClassNotFoundException {
            byte[] b = second.getOrDefault(name, first.get(name));
            if (b == null) throw new ClassNotFoundException(name);
            return defineClass(name, b, 0, b.length);
        }
    }

    static String text(Throwable t) {
        StringBuilder s = new StringBuilder();
        for (; t != null; t = t.getCause()) {
            String m = t.getMessage();
            s.append(t.getClass().getName()).append(": ").append(m == null ? null : m.replaceAll("@[0-9a-f]+", "@H")).append(" <- ");
        }
        return s.toString();
    }

    public static void main(String[] args) throws Exception {
        List<String[]> one = new ArrayList<>(), two = new ArrayList<>();
        for (int i = 0; i < CASES.length; i++) {
            String p = "package p" + i + "; ";
            one.add(new String[] {"p" + i + "/A", p + CASES[i][0]});
            two.add(new String[] {"p" + i + "/A", p + CASES[i][1]});
            one.add(new String[] {"p" + i + "/T", p + "public class T { public static int run() { return (int) (" + CASES[i][3] + "); } } " + CASES[i][2]});
        }
        Mixed loader = new Mixed(compile(one), compile(two));
        for (int i = 0; i < CASES.length; i++)
            for (int round = 0; round < 2; round++)
                try {
                    System.out.println(i + " " + Class.forName("p" + i + ".T", true, loader).getMethod("run").invoke(null));
                } catch (java.lang.reflect.InvocationTargetException e) {
                    System.out.println(i + " " + text(e.getCause()));
                } catch (Throwable e) {
                    System.out.println(i + " early " + text(e));
                }
    }
}
