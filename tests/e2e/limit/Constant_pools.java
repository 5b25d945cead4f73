// Limits of javac: hundreds of strings, a switch of 1,000 cases, deep nesting, many locals of all kinds, long chains.
import java.util.*;
import java.util.stream.*;
import javax.tools.*;
import java.net.URI;
import java.io.*;

public class Constant_pools {
    public static void main(String[] args) throws Exception {
        StringBuilder b = new StringBuilder("public class Gen { static int sw(int i) { switch (i) {");
        for (int i = 0; i < 1500; i++) b.append("case ").append(i % 2 == 0 ? i : i * 1000 + 1).append(": return ").append(i * 40000).append(";");
        b.append("default: return -1; } } static String str(String s) { switch (s) {");
        for (int i = 0; i < 400; i++) b.append("case \"k").append(i).append("\": return \"v").append(i * 3).append("\";");
        b.append("} return null; } static int deep(int x) { return ").append("(".repeat(300)).append("x").append(" + 1)".repeat(300)).append("; } static long chain(long x) { return x").append(" + x".repeat(1000)).append("; }");
        b.append("static double locals(int n) {");
        for (int i = 0; i < 150; i++) b.append("long l").append(i).append(" = n + ").append(i).append("; double d").append(i).append(" = l").append(i).append(" / 3.0;");
        b.append("return ").append(IntStream.range(0, 150).mapToObj(i -> "d" + i).collect(Collectors.joining("+"))).append("; } static String cat(int n) { return \"\"");
        for (int i = 0; i < 190; i++) b.append(" + n + \"").append((char) ('a' + i % 26)).append('"');
        b.append("; } static int ifs(int n) {").append("if (n > 0) { n--; ".repeat(150)).append("n += 1000;").append("}".repeat(150)).append("return n; } interface S { int g(); } static S nest(int a) { return ").append("((java.util.function.Supplier<S>) () -> ".repeat(20)).append("(S) () -> a").append(").get()".repeat(20)).append("; } }");
        JavaCompiler c = ToolProvider.getSystemJavaCompiler();
        SimpleJavaFileObject src = new SimpleJavaFileObject(URI.create("mem:///Gen.java"), JavaFileObject.Kind.SOURCE) { @Override public CharSequence getCharContent(boolean x) { return b; } };
        System.out.println(c.getTask(null, null, null, List.of("-d", ".", "-proc:none"), null, List.of(src)).call());
        Class<?> g = new java.net.URLClassLoader(new java.net.URL[]{new File(".").toURI().toURL()}, null).loadClass("Gen");
        System.out.println(call(g, "sw", 0) + " " + call(g, "sw", 1499001) + " " + call(g, "sw", 1498) + " " + call(g, "sw", 3) + " " + call(g, "str", "k399") + " " + call(g, "str", "none") + " " + call(g, "deep", 5) + " " + call(g, "chain", 7L) + " " + call(g, "locals", 2) + " " + call(g, "cat", 4).hashCode() + " " + call(g, "ifs", 5) + " " + call(g, "ifs", 500));
        Object s = call(g, "nest", 77);
        var m = s.getClass().getInterfaces()[0].getDeclaredMethod("g");
        m.setAccessible(true);
        System.out.println(m.invoke(s));
    }
    static Object call(Class<?> c, String n, Object a) throws Exception {
        for (var m : c.getDeclaredMethods()) if (m.getName().equals(n)) { m.setAccessible(true); return m.invoke(null, a); }
        return null;
    }
}
