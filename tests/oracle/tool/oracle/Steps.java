package oracle;

import java.io.*;
import java.util.*;
import jdk.internal.access.SharedSecrets;

/**
 * Records the execution of rewritten classes (RewriteSteps) by thread, and writes it after the
 * application's shutdown hooks have run. Lines: "thread", then its events "enter METHOD CALLER BCI" ("-
 * -1": no instruction of the program names the method), "leave", "unwind", "branch BCI EDGE", "back BCI",
 * "thrown BLOCK". Every event but an entry belongs to the innermost method. The VM calls class
 * initialisers.
 */
public final class Steps {
    private static final class Frame {
        final String method;
        int at, block;
        String called;
        boolean library;

        Frame(String method) { this.method = method; }
    }

    private static final class Way {
        final ArrayDeque<Frame> frames = new ArrayDeque<>();
        final StringBuilder text = new StringBuilder();
    }

    private static final List<Way> ways = new ArrayList<>();
    private static final ThreadLocal<Way> mine = new ThreadLocal<>();

    static {
        SharedSecrets.getJavaLangAccess().registerShutdownHook(9, false, Steps::write);
    }

    private Steps() { }

    private static Way way() {
        Way w = mine.get();
        if (w == null) {
            mine.set(w = new Way());
            synchronized (ways) {
                ways.add(w);
            }
        }
        return w;
    }

    /** A lambda's body has a generated name; its caller is the call of the program's interface. */
    private static boolean calls(Frame caller, String name) {
        return name.startsWith("lambda$") ? !caller.library : name.equals(caller.called);
    }

    public static void enter(String method) {
        Way w = way();
        Frame caller = w.frames.peek();
        if (caller != null && !calls(caller, method.substring(method.lastIndexOf('.', method.indexOf('(')) + 1))) caller = null;
        w.text.append("enter ").append(method).append(' ').append(caller == null ? "-" : caller.method).append(' ')
            .append(caller == null ? -1 : caller.at).append('\n');
        w.frames.push(new Frame(method));
    }

    private static void end(String how) {
        Way w = way();
        w.frames.pop();
        w.text.append(how).append('\n');
    }

    public static void leave() { end("leave"); }

    public static void unwind() { end("unwind"); }

    public static void at(int bci, String owner, String called) {
        Frame f = way().frames.peek();
        f.at = bci;
        f.called = called;
        f.library = owner.startsWith("java/");
    }

    public static void block(int bci) { way().frames.peek().block = bci; }

    public static void branch(int bci, int edge) { way().text.append("branch ").append(bci).append(' ').append(edge).append('\n'); }

    public static void back(int bci) { way().text.append("back ").append(bci).append('\n'); }

    public static void thrown() {
        Way w = way();
        w.text.append("thrown ").append(w.frames.peek().block).append('\n');
    }

    private static void write() {
        try (PrintWriter out = new PrintWriter(System.getProperty("oracle.out"), "UTF-8")) {
            synchronized (ways) {
                for (Way w : ways) out.print("thread\n" + w.text);
            }
        } catch (IOException e) {
            System.err.println("oracle: " + e);
        }
    }
}
