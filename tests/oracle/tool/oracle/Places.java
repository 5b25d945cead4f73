package oracle;

import java.io.*;
import java.util.*;
import java.util.concurrent.atomic.AtomicLongArray;
import jdk.internal.access.SharedSecrets;

/**
 * Counters for classes that count their field accesses and branch edges (RewritePlaces). Counts are written after the
 * application's shutdown hooks have run.
 */
public final class Places {
    private static final List<String> places = new ArrayList<>();
    private static final AtomicLongArray counts;

    static {
        try (BufferedReader in = new BufferedReader(new InputStreamReader(
                ClassLoader.getSystemResourceAsStream("oracle.places"), "UTF-8"))) {
            for (String line; (line = in.readLine()) != null; ) places.add(line);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        counts = new AtomicLongArray(places.size());
        SharedSecrets.getJavaLangAccess().registerShutdownHook(9, false, Places::write);
    }

    private Places() { }

    public static void count(int place) { counts.incrementAndGet(place); }

    private static void write() {
        try (PrintWriter out = new PrintWriter(System.getProperty("oracle.out"), "UTF-8")) {
            for (int i = 0; i < places.size(); i++) {
                if (counts.get(i) > 0) out.print(places.get(i) + " " + counts.get(i) + "\n");
            }
        } catch (IOException e) {
            System.err.println("oracle: " + e);
        }
    }
}
