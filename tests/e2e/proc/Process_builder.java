// Child processes: output, input, exit codes, environment, directory, redirection, errors, destroy.
import java.io.*;
import java.nio.file.*;
import java.util.*;
import java.util.concurrent.TimeUnit;

public class Process_builder {
    static String run(ProcessBuilder b, String in) throws Exception {
        Process p = b.start();
        try (OutputStream o = p.getOutputStream()) { o.write(in.getBytes()); } catch (IOException e) { }
        String out = new String(p.getInputStream().readAllBytes()), err = new String(p.getErrorStream().readAllBytes());
        return p.waitFor() + "|" + out.replace("\n", "\\n") + "|" + err.replace("\n", "\\n");
    }

    public static void main(String[] args) throws Exception {
        System.out.println(run(new ProcessBuilder("/bin/echo", "hello", "two words", ""), ""));
        System.out.println(run(new ProcessBuilder("/bin/cat"), "through cat \u00e9\n"));
        System.out.println(run(new ProcessBuilder("/bin/sh", "-c", "echo out; echo err >&2; exit 7"), ""));
        System.out.println(run(new ProcessBuilder("/bin/sh", "-c", "echo out; echo err >&2").redirectErrorStream(true), ""));
        ProcessBuilder e = new ProcessBuilder("/bin/sh", "-c", "echo $MY_VAR-$GONE; pwd | sed 's/.*\\///'");
        e.environment().put("MY_VAR", "value");
        e.environment().put("GONE", "x");
        e.environment().remove("GONE");
        Files.createDirectory(Path.of("work"));
        System.out.println(run(e.directory(new File("work")), ""));
        File f = new File("out.txt");
        Process r = new ProcessBuilder("/bin/echo", "redirected").redirectOutput(f).start();
        System.out.println(r.waitFor() + " " + Files.readString(f.toPath()).trim() + " " + r.getInputStream().read());
        System.out.println(new ProcessBuilder("/bin/sh", "-c", "cat; echo more").redirectInput(f).redirectOutput(ProcessBuilder.Redirect.appendTo(f)).start().waitFor() >= 0);
        new ProcessBuilder("/bin/echo", "inherited").inheritIO().start().waitFor();
        try {
            new ProcessBuilder("/no/such/program").start();
        } catch (IOException x) {
            System.out.println(x.getMessage());
        }
        try {
            new ProcessBuilder("/bin/echo").directory(new File("/no/such/dir")).start();
        } catch (IOException x) {
            System.out.println(x.getMessage());
        }
        try {
            new ProcessBuilder().start();
        } catch (IndexOutOfBoundsException x) {
            System.out.println("empty command");
        }
        Process s = new ProcessBuilder("/bin/sleep", "60").start();
        System.out.println(s.isAlive() + " " + s.waitFor(20, TimeUnit.MILLISECONDS));
        try {
            s.exitValue();
        } catch (IllegalThreadStateException x) {
            System.out.println(x.getMessage());
        }
        s.destroy();
        System.out.println(s.waitFor() + " " + s.isAlive());
        Process k = new ProcessBuilder("/bin/sleep", "60").start();
        k.destroyForcibly();
        System.out.println(k.waitFor() + " " + k.exitValue());
        Process rt = Runtime.getRuntime().exec("/bin/echo via  exec");
        System.out.println(new String(rt.getInputStream().readAllBytes()).trim());
        List<Process> pipe = ProcessBuilder.startPipeline(List.of(new ProcessBuilder("/bin/echo", "b\na\nc"), new ProcessBuilder("/usr/bin/sort"), new ProcessBuilder("/usr/bin/tr", "a-z", "A-Z")));
        System.out.println(new String(pipe.get(2).getInputStream().readAllBytes()).replace("\n", " "));
        Process big = new ProcessBuilder("/bin/sh", "-c", "i=0; while [ $i -lt 2000 ]; do echo line$i; i=$((i+1)); done").start();
        System.out.println(new String(big.getInputStream().readAllBytes()).length() + " " + big.waitFor());
        try (BufferedReader br = new ProcessBuilder("/bin/echo", "reader").start().inputReader()) { System.out.println(br.readLine()); }
    }
}
