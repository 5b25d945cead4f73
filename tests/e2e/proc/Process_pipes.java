// Child processes: pipelines, redirections, environments, directories, exit values, destruction, start failures.
import java.io.*;
import java.nio.file.*;
import java.util.*;
import java.util.concurrent.*;

public class Process_pipes {
    static String out(Process p) throws Exception { String s = new String(p.getInputStream().readAllBytes()).trim(); p.waitFor(); return s; }

    public static void main(String[] args) throws Exception {
        List<Process> line = ProcessBuilder.startPipeline(List.of(new ProcessBuilder("printf", "c\\nb\\na\\n"), new ProcessBuilder("sort"), new ProcessBuilder("tr", "\\n", "-")));
        System.out.println(out(line.get(2)) + " " + line.get(0).waitFor());
        ProcessBuilder e = new ProcessBuilder("sh", "-c", "echo $OWN; pwd; echo err >&2; exit 3");
        e.environment().put("OWN", "value \u00e9");
        Files.createDirectory(Path.of("sub"));
        e.directory(new File("sub"));
        e.redirectErrorStream(true);
        Process p = e.start();
        System.out.println(out(p).replaceAll("/.*/", "") .replace('\n', ' ') + " " + p.exitValue());
        System.out.println(e.redirectErrorStream() + " " + e.command().size() + " " + e.directory() + " " + e.redirectInput());
        File f = new File("out.txt");
        ProcessBuilder w = new ProcessBuilder("cat").redirectInput(new File("in.txt")).redirectOutput(ProcessBuilder.Redirect.appendTo(f));
        Files.writeString(Path.of("in.txt"), "text;");
        w.start().waitFor();
        w.start().waitFor();
        System.out.println(Files.readString(f.toPath()) + " " + w.redirectOutput().type() + " " + w.start().getInputStream().read());
        Process cat = new ProcessBuilder("cat").start();
        try (Writer o = cat.outputWriter()) { o.write("through\ncat"); }
        System.out.println(cat.inputReader().readLine() + " " + cat.waitFor());
        Process sleep = new ProcessBuilder("sleep", "60").start();
        System.out.println(sleep.isAlive() + " " + sleep.waitFor(5, TimeUnit.MILLISECONDS) + " " + sleep.supportsNormalTermination());
        try { sleep.exitValue(); } catch (IllegalThreadStateException x) { System.out.println(x.getMessage()); }
        CompletableFuture<Process> done = sleep.onExit();
        sleep.destroy();
        System.out.println(done.get(1, TimeUnit.MINUTES).exitValue() + " " + sleep.isAlive());
        Process kill = new ProcessBuilder("sleep", "60").start();
        System.out.println(kill.destroyForcibly().waitFor() + " " + kill.toHandle().isAlive());
        for (List<String> bad : List.of(List.of("no-such-program-here"), List.of("/"), List.<String>of())) try { new ProcessBuilder(bad).start(); } catch (Exception x) { System.out.println(x.getClass().getSimpleName() + " " + x.getMessage()); }
        try { new ProcessBuilder("true").directory(new File("absent")).start(); } catch (IOException x) { System.out.println(x.getMessage()); }
        try { new ProcessBuilder("a\u0000b").start(); } catch (IOException x) { System.out.println(x.getMessage()); }
        try { new ProcessBuilder("true", null).start(); } catch (NullPointerException x) { System.out.println("null"); }
        try { new ProcessBuilder("true").environment().put("a=b", "c"); } catch (IllegalArgumentException x) { System.out.println(x.getMessage()); }
        ProcessBuilder clean = new ProcessBuilder("/bin/sh", "-c", "echo ${HOME:-none}");
        clean.environment().clear();
        System.out.println(out(clean.start()));
    }
}
