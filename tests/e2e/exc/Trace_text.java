// Stack trace text: frames, causes with common frames, suppressed, circular references, line numbers.
import java.io.*;

public class Trace_text {
    static void a(int n) { if (n == 0) b(); else a(n - 1); }

    static void b() {
        try {
            c();
        } catch (IllegalStateException e) {
            RuntimeException r = new RuntimeException("wrapped", e);
            r.addSuppressed(new Exception("side effect"));
            throw r;
        }
    }

    static void c() {
        throw new IllegalStateException("root");
    }

    static class Inner {
        final int v;
        Inner() { v = fail(); }
        static int fail() { throw new UnsupportedOperationException(); }
    }

    static class Custom extends Exception {
        Custom(String m) { super(m); }
        @Override public String toString() { return "Custom!" + getMessage(); }
        @Override public String getLocalizedMessage() { return "localized"; }
    }

    static String text(Throwable t) {
        StringWriter w = new StringWriter();
        t.printStackTrace(new PrintWriter(w));
        return w.toString();
    }

    public static void main(String[] args) {
        try {
            a(3);
        } catch (RuntimeException e) {
            System.out.print(text(e));
        }
        try {
            new Inner();
        } catch (UnsupportedOperationException e) {
            System.out.print(text(e));
        }
        Runnable r = () -> { throw new Error("in lambda"); };
        try {
            r.run();
        } catch (Error e) {
            System.out.println(e.getStackTrace()[0].getMethodName() + " " + e.getStackTrace()[1].getMethodName() + " " + e.getStackTrace().length);
        }
        Exception x = new Exception("x"), y = new Exception("y", x);
        x.initCause(y);
        System.out.print(text(x));
        try {
            x.initCause(y);
        } catch (IllegalStateException e) {
            System.out.println(e.getMessage());
        }
        System.out.println(new Custom("m") + " " + text(new Custom("m")).split("\n")[0]);
        StackTraceElement[] st = new Throwable().getStackTrace();
        System.out.println(st[0] + " " + st[0].getLineNumber() + " " + st[0].getFileName() + " " + st[0].isNativeMethod() + " " + st[0].getClassName() + " " + st[0].getModuleName());
        Throwable t = new Throwable("own");
        t.setStackTrace(new StackTraceElement[]{new StackTraceElement("Cls", "meth", "File.java", 12), new StackTraceElement("Cls", "nat", null, -2), new StackTraceElement("app", "mod", "1.0", "Cls", "m", null, -1)});
        System.out.print(text(t));
        try {
            Object o = Integer.parseInt("zz");
        } catch (NumberFormatException e) {
            System.out.print(text(e).replaceAll("java\\.base@?[^/]*/", "java.base/"));
        }
        System.out.println(new Throwable("no trace", null, false, false) { }.getStackTrace().length);
        int line = new Exception(
            "multi" +
            "line").getStackTrace()[0].getLineNumber();
        System.out.println(line);
    }
}
