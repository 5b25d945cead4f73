import java.io.*;
import java.lang.management.*;
import java.lang.reflect.*;
import java.util.Arrays;
import java.util.zip.*;

/**
 * Runs a program several times in one process: Repeat ITERATIONS CLASS[.METHOD] ARGUMENTS. Prints the milliseconds of
 * each iteration and, at the end, a checksum of the iterations' output. METHOD takes the arguments as main does, and
 * must return rather than end the process.
 *
 * Repeat turns CLASS[.METHOD] ARGUMENTS is for a harness that measures from outside. Each line of standard input is a
 * number of iterations to run; the answer is a line "turn CHECKSUM", with the checksum of the last iteration's output.
 * It ends at the end of its input.
 *
 * Repeat observed CLASS[.METHOD] ARGUMENTS does the same and reports more. It answers "turn ready" before it reads its
 * first request, and then "turn CHECKSUM compile_ns=N gc_ns=N", with the turn's compilation and collection times from
 * the VM's management beans. The property repeat.callback names a class that implements Repeat.Callback, which is
 * called around each turn.
 */
public final class Repeat {
    /** Called around each turn, outside of the program's own timing but inside of the harness's. */
    public interface Callback {
        /** Turn number `turn`, counted from 0, begins; measured: it is not warm-up. */
        void start(int turn, boolean measured);

        void stop(int turn, boolean measured);
    }

    private final Method method;
    private final String[] arguments;
    private final CRC32 printed = new CRC32();

    private Repeat(String[] args) throws ReflectiveOperationException {
        method = find(args[1]);
        arguments = Arrays.copyOfRange(args, 2, args.length);
        System.setOut(new PrintStream(new CheckedOutputStream(OutputStream.nullOutputStream(), printed), true));
    }

    private static Method find(String name) throws ReflectiveOperationException {
        try {
            return Class.forName(name).getMethod("main", String[].class);
        } catch (ClassNotFoundException e) {
            int dot = name.lastIndexOf('.');
            if (dot < 0) throw e;
            return Class.forName(name.substring(0, dot)).getMethod(name.substring(dot + 1), String[].class);
        }
    }

    private void iteration() throws Throwable {
        try {
            method.invoke(null, (Object) arguments.clone());
        } catch (InvocationTargetException e) {
            throw e.getCause();
        }
    }

    private void repeat(int iterations, PrintStream console) throws Throwable {
        for (int i = 0; i < iterations; i++) {
            long start = System.nanoTime();
            iteration();
            long micros = (System.nanoTime() - start) / 1000;
            console.println("iteration " + (i + 1) + " " + micros / 1000 + "." + (micros % 1000 + 1000 + "").substring(1) + " ms");
        }
        System.setOut(console);
        console.println("checksum " + Long.toHexString(printed.getValue()));
    }

    private static int number(InputStream in) throws IOException {
        int n = 0, c;
        while ((c = in.read()) >= '0') n = 10 * n + c - '0';
        return c < 0 ? -1 : n;
    }

    private void takeTurns(InputStream requests, OutputStream answers) throws Throwable {
        for (int n; (n = number(requests)) > 0; ) {
            for (int i = 0; i < n; i++) {
                printed.reset();
                iteration();
            }
            answers.write(("\nturn " + Long.toHexString(printed.getValue()) + "\n").getBytes());
        }
    }

    // ---- observed turns ----

    private static long compileNanos() {
        CompilationMXBean bean = ManagementFactory.getCompilationMXBean();
        return bean == null || !bean.isCompilationTimeMonitoringSupported() ? 0 : bean.getTotalCompilationTime() * 1000000;
    }

    private static long collectNanos() {
        long ms = 0;
        for (GarbageCollectorMXBean bean : ManagementFactory.getGarbageCollectorMXBeans()) ms += Math.max(0, bean.getCollectionTime());
        return ms * 1000000;
    }

    private static Callback callback() throws ReflectiveOperationException {
        String name = System.getProperty("repeat.callback");
        return name == null ? null : (Callback) Class.forName(name).getConstructor().newInstance();
    }

    private void observedTurns(InputStream requests, OutputStream answers) throws Throwable {
        Callback callback = callback();
        int measuredFrom = Integer.getInteger("repeat.measured-from", 0);
        long compile = compileNanos(), collect = collectNanos();
        answers.write("turn ready\n".getBytes());
        int n;
        for (int turn = 0; (n = number(requests)) > 0; turn++) {
            boolean measured = turn >= measuredFrom;
            if (callback != null) callback.start(turn, measured);
            for (int i = 0; i < n; i++) {
                printed.reset();
                iteration();
            }
            if (callback != null) callback.stop(turn, measured);
            long compiled = compileNanos(), collected = collectNanos();
            answers.write(("\nturn " + Long.toHexString(printed.getValue()) + " compile_ns=" + (compiled - compile) + " gc_ns="
                    + (collected - collect) + "\n").getBytes());
            compile = compiled;
            collect = collected;
        }
    }

    public static void main(String[] args) throws Throwable {
        PrintStream console = System.out;
        Repeat program = new Repeat(args);
        boolean observed = args[0].equals("observed");
        if (!observed && !args[0].equals("turns")) {
            program.repeat(Integer.parseInt(args[0]), console);
            return;
        }
        System.setIn(InputStream.nullInputStream());
        InputStream requests = new FileInputStream(FileDescriptor.in);
        OutputStream answers = new FileOutputStream(FileDescriptor.out);
        if (observed) program.observedTurns(requests, answers);
        else program.takeTurns(requests, answers);
    }
}
