package cabernet;

import java.io.File;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.util.HashMap;
import java.util.Map;
import java.util.zip.DataFormatException;
import java.util.zip.Inflater;

/**
 * Numbers of entries of methods, from the profile of this program: exact counts of {@code method-count}, of all threads.
 * {@link #now} takes the counts, and the first query reads them; methods that the query enters are not included.
 * Every method throws {@link IllegalStateException} with the reason if there are no such counts.
 */
public final class Calls {
    private File file;                          // the profile, until it is read
    private final Map<String, Long> entries = new HashMap<>();  // by class and method, with dots

    private Calls(File file) {
        this.file = file;
    }

    /** The current counts. */
    public static Calls now() {
        try {
            File file = File.createTempFile("cabernet", ".prof");
            try {
                String name = Profile.counting();
                if (name == null) Profile.dump(file.getPath());
                else Profile.dump(file.getPath(), name);
            } catch (IllegalStateException e) {
                file.delete();
                throw e;
            }
            return new Calls(file);
        } catch (IOException e) {
            throw new IllegalStateException("no file for the counts: " + e.getMessage(), e);
        }
    }

    /**
     * Entries of all methods of that name: {@code Repo.load}, or as much of {@code com.example.Repo.load} as tells it from
     * others. Overloaded methods count together, as do those of classes of the name that several loaders have.
     */
    public synchronized long of(String method) {
        read();
        long sum = 0;
        for (Map.Entry<String, Long> e : entries.entrySet()) {
            String name = e.getKey();
            if (name.equals(method) || name.endsWith("." + method) || name.endsWith("$" + method)) sum += e.getValue();
        }
        return sum;
    }

    /** Entries of all methods. */
    public synchronized long total() {
        read();
        long sum = 0;
        for (long n : entries.values()) sum += n;
        return sum;
    }

    /** Deletes what has not been read. */
    public synchronized void forget() {
        if (file != null) file.delete();
        file = null;
    }

    // ---- the file: docs/FORMATS.md ----

    private static final int VERSION = 5, HEADER = 16, CHUNK_HEADER = 32, DEFLATED = 1;

    private String[] strings, methods;
    private long analysis = -1;

    private void read() {
        if (file == null) return;
        try {
            chunks(ByteBuffer.wrap(Files.readAllBytes(file.toPath())).order(ByteOrder.LITTLE_ENDIAN));
        } catch (IOException | DataFormatException | RuntimeException e) {
            throw new IllegalStateException("the counts cannot be read: " + e.getMessage(), e);
        } finally {
            forget();
            strings = methods = null;
        }
    }

    private void chunks(ByteBuffer in) throws DataFormatException {
        if (in.getInt(8) != VERSION) throw new IllegalStateException("version " + in.getInt(8) + " of profiles");
        for (int at = HEADER; at < in.limit();) {
            String type = new String(in.array(), at, 4, StandardCharsets.US_ASCII);
            int stored = Math.toIntExact(in.getLong(at + 8)), size = Math.toIntExact(in.getLong(at + 16));
            byte[] bytes = new byte[stored];
            System.arraycopy(in.array(), at + CHUNK_HEADER, bytes, 0, stored);
            chunk(type, ByteBuffer.wrap((in.getInt(at + 4) & DEFLATED) != 0 ? inflated(bytes, size) : bytes));
            at += CHUNK_HEADER + stored;
        }
    }

    private static byte[] inflated(byte[] bytes, int size) throws DataFormatException {
        Inflater inflater = new Inflater();
        byte[] out = new byte[size];
        inflater.setInput(bytes);
        int n = inflater.inflate(out);
        inflater.end();
        if (n != size) throw new DataFormatException("a chunk is too short");
        return out;
    }

    private void chunk(String type, ByteBuffer in) {
        switch (type) {
            case "META": readMeta(in); break;
            case "STRS": strings = new String[(int) number(in)]; for (int i = 0; i < strings.length; i++) strings[i] = text(in); break;
            case "METH": readMethods(in); break;
            case "ANLS": readAnalyses(in); break;
            case "DATA": readRows(in); break;
        }
    }

    private static void readMeta(ByteBuffer in) {
        for (long n = number(in); n > 0; n--) {
            String key = text(in), value = text(in);
            boolean samples = key.equals("sampling") && !value.equals("off") || key.equals("consume") && value.equals("sampled")
                || key.equals("where") && value.equals("shadow");
            if (samples) throw new IllegalStateException("the profile has samples only; calls are counted by method-count with sampling=off");
        }
    }

    private void readMethods(ByteBuffer in) {
        methods = new String[(int) number(in)];
        for (int i = 0; i < methods.length; i++) {
            String type = strings[(int) number(in)].replace('/', '.'), name = strings[(int) number(in)];
            int loader = type.indexOf('@');
            methods[i] = (loader < 0 ? type : type.substring(0, loader)) + "." + name;
            for (int k = 0; k < 3; k++) number(in);  // descriptor, source, flags
        }
    }

    private void readAnalyses(ByteBuffer in) {
        long n = number(in);
        for (int i = 0; i < n; i++) {
            if (text(in).equals("method-count")) analysis = i;
            text(in);
            number(in);
            number(in);
            if (number(in) > 0 && analysis == i) throw new IllegalStateException("the profile has lost events of method-count");
            for (long c = number(in); c > 0; c--) {
                text(in);
                number(in);
            }
        }
        if (analysis < 0) throw new IllegalStateException("the profile has no method-count");
    }

    private void readRows(ByteBuffer in) {
        if (number(in) != analysis || number(in) != 0) return;  // another analysis; one thread
        for (long n = number(in); n > 0; n--) {
            String method = methods[(int) number(in)];
            entries.merge(method, number(in), Long::sum);
        }
    }

    private static long number(ByteBuffer in) {
        long value = 0;
        for (int shift = 0;; shift += 7) {
            byte b = in.get();
            value |= (long) (b & 0x7f) << shift;
            if (b >= 0) return value;
        }
    }

    private static String text(ByteBuffer in) {
        byte[] bytes = new byte[(int) number(in)];
        in.get(bytes);
        return new String(bytes, StandardCharsets.UTF_8);
    }
}
