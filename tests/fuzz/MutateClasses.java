import java.io.InputStream;
import java.io.OutputStream;
import java.io.PrintStream;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;

/**
 * Mutated class files through the reader, verifier and linker of the VM that runs this. A separate loader defines each
 * mutant, which is then linked and its members listed; "run" also initialises it and calls its static methods without
 * parameters, and stops those that take too long.
 *
 * <p>Usage: MutateClasses SEED COUNT [run] FILE.class...; prints one line per mutant: its number, its class and the
 * outcome of each step. The same seed gives the same mutants on every VM.
 */
public class MutateClasses {
    static final long RUN_MILLIS = 300;
    static final boolean MESSAGES = Boolean.getBoolean("messages");

    /** A class file and the positions of its parts, so that mutants get past the first check. */
    static final class Sample {
        final String name;
        final byte[] bytes;
        final List<Integer> pool = new ArrayList<>(), members = new ArrayList<>(), code = new ArrayList<>();
        private int p;

        Sample(String name, byte[] bytes) {
            this.name = name;
            this.bytes = bytes;
            p = 10;
            constants();
            int behindPool = p;
            p += 8 + 2 * u2(bytes, p + 6);
            for (int kind = 0; kind < 2; kind++) {
                int count = u2(bytes, p);
                p += 2;
                for (int i = 0; i < count; i++) member();
            }
            for (int q = behindPool; q < bytes.length; q++) members.add(q);
            if (code.isEmpty()) code.addAll(members);
        }

        private void constants() {
            int count = u2(bytes, 8);
            for (int i = 1; i < count; i++) {
                int at = p, tag = bytes[p];
                switch (tag) {
                    case 1 -> p += 3 + u2(bytes, p + 1);
                    case 7, 8, 16, 19, 20 -> p += 3;
                    case 15 -> p += 4;
                    default -> p += tag == 5 || tag == 6 ? 9 : 5;
                }
                if (tag == 5 || tag == 6) i++;
                for (int q = tag == 1 ? at + 3 : at; q < p; q++) pool.add(q);
            }
        }

        private void member() {
            int attributes = u2(bytes, p + 6);
            p += 8;
            for (int i = 0; i < attributes; i++) {
                int length = u2(bytes, p + 2) << 16 | u2(bytes, p + 4);
                // Only Code begins with two small numbers and a length that fits into it.
                int codeLength = length < 12 ? 0 : u2(bytes, p + 10) << 16 | u2(bytes, p + 12);
                if (codeLength > 0 && codeLength <= length - 12)
                    for (int q = p + 14; q < p + 14 + codeLength; q++) code.add(q);
                p += 6 + length;
            }
        }

        int somewhere(Random random) {
            List<Integer> part = switch (random.nextInt(8)) {
                case 0 -> pool;
                case 1, 2 -> members;
                default -> code;
            };
            return part.isEmpty() ? random.nextInt(bytes.length) : part.get(random.nextInt(part.size()));
        }
    }

    static final class Loader extends ClassLoader {
        Loader(ClassLoader parent) {
            super(parent);
        }

        Class<?> define(byte[] bytes) {
            return defineClass(null, bytes, 0, bytes.length);
        }
    }

    static int u2(byte[] b, int at) {
        return (b[at] & 255) << 8 | b[at + 1] & 255;
    }

    static byte[] mutate(Sample sample, Random random) {
        byte[] b = sample.bytes.clone();
        int changes = Math.max(1, random.nextInt(6) - 2);
        for (int i = 0; i < changes; i++) {
            int at = sample.somewhere(random);
            switch (random.nextInt(9)) {
                case 0 -> b[at] = (byte) random.nextInt();
                case 1 -> b[at]++;
                case 2 -> b[at]--;
                case 3 -> b[at] ^= (byte) (1 << random.nextInt(8));
                case 4 -> b[at] = new byte[] {0, 1, -1, 127, -128, 16}[random.nextInt(6)];
                case 5 -> b[at] = b[random.nextInt(b.length)];
                case 6 -> {
                    if (at + 1 < b.length) {
                        int value = random.nextInt(u2(sample.bytes, 8) + 2);
                        b[at] = (byte) (value >> 8);
                        b[at + 1] = (byte) value;
                    }
                }
                case 7 -> b[at] = (byte) random.nextInt(202);
                default -> {
                    int from = random.nextInt(b.length);
                    int n = Math.min(1 + random.nextInt(8), b.length - Math.max(from, at));
                    System.arraycopy(b, from, b, at, n);
                }
            }
        }
        return random.nextInt(40) == 0 ? Arrays.copyOf(b, b.length - 1 - random.nextInt(20)) : b;
    }

    static String name(Throwable t) {
        return t.getClass().getName();
    }

    /** Calls all static methods without parameters; returns the names of the exceptions. */
    static String call(Class<?> c) {
        StringBuilder thrown = new StringBuilder();
        for (Method m : c.getDeclaredMethods()) {
            int modifiers = m.getModifiers();
            if (!Modifier.isStatic(modifiers) || Modifier.isNative(modifiers) || m.getParameterCount() != 0) continue;
            try {
                m.setAccessible(true);
                m.invoke(null);
            } catch (InvocationTargetException e) {
                thrown.append(' ').append(m.getName()).append(' ').append(name(e.getCause()));
            } catch (IllegalAccessException | RuntimeException e) {
                thrown.append(' ').append(m.getName()).append(' ').append(name(e));
            }
        }
        return thrown.toString();
    }

    static final class Trial extends Thread {
        final byte[] bytes;
        final boolean run;
        volatile String step = "define", outcome = "late";

        Trial(byte[] bytes, boolean run) {
            super("mutant");
            this.bytes = bytes;
            this.run = run;
            setDaemon(true);
        }

        @Override public void run() {
            try {
                Class<?> c = new Loader(MutateClasses.class.getClassLoader()).define(bytes);
                step = "link";
                c.getDeclaredMethods();  // links, on HotSpot too
                step = "members";
                c.getDeclaredFields();
                c.getDeclaredConstructors();
                c.getDeclaredClasses();
                c.getAnnotations();
                String thrown = "";
                if (run) {
                    step = "initialise";
                    Class.forName(c.getName(), true, c.getClassLoader());
                    step = "run";
                    thrown = call(c);
                }
                outcome = "accepted" + thrown;
            } catch (Throwable e) {
                outcome = step + " " + name(e) + (MESSAGES ? " " + e.getMessage() : "");
            }
        }
    }

    @SuppressWarnings("removal")
    static String exercise(byte[] bytes, boolean run) throws InterruptedException {
        Trial trial = new Trial(bytes, run);
        trial.start();
        trial.join(run ? RUN_MILLIS : 20000);
        if (trial.isAlive()) {
            trial.stop();
            trial.join(1000);
            return "late";
        }
        return trial.outcome;
    }

    /** Mutants may do anything except end the VM. */
    @SuppressWarnings("removal")
    static final class NoExit extends SecurityManager {
        @Override public void checkPermission(java.security.Permission p) { }

        @Override public void checkExit(int status) {
            throw new SecurityException("exit " + status);
        }
    }

    @SuppressWarnings("removal")
    public static void main(String[] args) throws Exception {
        long seed = Long.parseLong(args[0]);
        int count = Integer.parseInt(args[1]);
        int first = args[2].equals("run") ? 3 : 2;
        boolean run = first == 3;
        List<Sample> samples = new ArrayList<>();
        for (int i = first; i < args.length; i++) {
            byte[] bytes = Files.readAllBytes(Path.of(args[i]));
            // Some classes work only in their original loader.
            if (exercise(bytes, false).equals("accepted")) samples.add(new Sample(args[i], bytes));
        }
        PrintStream out = System.out;
        // Mutants may print and read.
        System.setOut(new PrintStream(OutputStream.nullOutputStream()));
        System.setErr(new PrintStream(OutputStream.nullOutputStream()));
        System.setIn(InputStream.nullInputStream());
        if (run) System.setSecurityManager(new NoExit());
        int accepted = 0;
        for (int i = 0; i < count; i++) {
            Random random = new Random(seed * 1000003 + i);
            Sample sample = samples.get(random.nextInt(samples.size()));
            String outcome = exercise(mutate(sample, random), run);
            if (outcome.equals("accepted")) accepted++;
            out.println(i + " " + Path.of(sample.name).getFileName() + " " + outcome);
        }
        out.println("seed " + seed + ", " + count + " mutants, " + accepted + " accepted");
        out.flush();
        if (run) System.setSecurityManager(null);
        Runtime.getRuntime().halt(0);
    }
}
