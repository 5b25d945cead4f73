import java.io.*;
import java.lang.reflect.*;
import java.util.zip.*;

/**
 * Runs a program several times in one process: Repeat ITERATIONS CLASS[.METHOD] ARGUMENTS. Prints the
 * milliseconds of each iteration and, at the end, a checksum of what the iterations have printed.
 * METHOD takes the arguments as main does, and must return: it may not end the process.
 */
public final class Repeat {
    private Repeat() { }

    private static Method find(String name) throws ReflectiveOperationException {
        try {
            return Class.forName(name).getMethod("main", String[].class);
        } catch (ClassNotFoundException e) {
            int dot = name.lastIndexOf('.');
            if (dot < 0) throw e;
            return Class.forName(name.substring(0, dot)).getMethod(name.substring(dot + 1), String[].class);
        }
    }

    public static void main(String[] args) throws Throwable {
        int iterations = Integer.parseInt(args[0]);
        Method method = find(args[1]);
        CRC32 crc = new CRC32();
        PrintStream console = System.out;
        System.setOut(new PrintStream(new CheckedOutputStream(OutputStream.nullOutputStream(), crc), true));
        for (int i = 0; i < iterations; i++) {
            String[] own = java.util.Arrays.copyOfRange(args, 2, args.length);
            long start = System.nanoTime();
            try {
                method.invoke(null, (Object) own);
            } catch (InvocationTargetException e) {
                throw e.getCause();
            }
            long micros = (System.nanoTime() - start) / 1000;
            console.println("iteration " + (i + 1) + " " + micros / 1000 + "." + (micros % 1000 + 1000 + "").substring(1) + " ms");
        }
        System.setOut(console);
        console.println("checksum " + Long.toHexString(crc.getValue()));
    }
}
