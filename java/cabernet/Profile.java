package cabernet;

import java.util.Arrays;

/**
 * Control of the profile of this program from inside, as {@code jcmd PID Profile.*} offers from outside. The class
 * comes with cabernet: {@code javac -cp build/lib/java} finds it, and at run time it needs no entry in the class path.
 * Every method throws {@link IllegalStateException} with the reason if the request cannot be met.
 */
public final class Profile {
    private static final int START = 0, STOP = 1, SET = 2, DUMP = 3, END = 4, STATUS = 5;

    private Profile() {}

    /**
     * Starts a profile: analyses and options as after {@code -Xprofile:}. A profile of cpu, wall and counters may run
     * beside one of events. The methods below that take no name mean the only one, and fail if there are two.
     */
    public static void start(String profile) {
        if (profile == null) throw new NullPointerException("profile");
        must(control(START, null, profile));
    }

    /** Resumes the stopped profile. */
    public static void start() {
        must(control(START, null, null));
    }

    /** Resumes the stopped profile of this name. */
    public static void resume(String name) {
        must(control(START, named(name), null));
    }

    /** Records nothing until the next start. The profile is written when the program ends, or by {@link #end}. */
    public static void stop() {
        must(control(STOP, null, null));
    }

    /** The same for the profile of this name. */
    public static void stop(String name) {
        must(control(STOP, named(name), null));
    }

    /** Changes the sampling of the profile: {@code "interval=N:jitter=N:burst=N"}, or some of these. */
    public static void set(String options) {
        must(control(SET, null, options));
    }

    /**
     * Changes a register of the profile's productions. Threads use the value when they next set a counter to it; if
     * productions control the sampling, it changes at once.
     */
    public static void set(String register, long value) {
        if (register == null) throw new NullPointerException("register");
        set(register + "=" + value);
    }

    /** Writes the current profile; recording continues. */
    public static void dump(String file) {
        if (file == null) throw new NullPointerException("file");
        must(control(DUMP, null, file));
    }

    /** The same for the profile of this name. */
    public static void dump(String file, String name) {
        if (file == null) throw new NullPointerException("file");
        must(control(DUMP, named(name), file));
    }

    /** Writes the profile to its file and ends it; another one can then start. */
    public static void end() {
        must(control(END, null, null));
    }

    /** The same for the profile of this name. */
    public static void end(String name) {
        must(control(END, named(name), null));
    }

    /** A line for each profile: its state, sampling, name, analyses, file, events and cost. */
    public static String status() {
        return control(STATUS, null, null);
    }

    /**
     * Marks that the program reaches the point of this name; {@code between=} measures the times between two points.
     * Without such a profile the call has no effect.
     */
    public static void mark(String name) {
        mark(name, 0);
    }

    /** The same; points with @key are matched by the key, also across threads. */
    public static native void mark(String name, long key);

    // ---- counted calls ----

    private static Calls before;  // the counts at which those of assertCalls begin; null: zero

    /**
     * Sets the counts of {@link #assertCalls} to zero; before the first call they begin with the profile. Starts a
     * profile of {@code method-count} if there is none of events.
     */
    public static synchronized void countCalls() {
        if (counting() == null) {
            try {
                start("method-count");
            } catch (IllegalStateException e) {
                if (status().startsWith("no profile")) throw e;
            }
        }
        before = replaced(Calls.now());
    }

    /** The name of the profile with {@code method-count}, or null. */
    static String counting() {
        for (String line : status().split("\n")) {
            int name = line.indexOf(" name="), analyses = line.indexOf(" analyses=", name + 1), file = line.indexOf(" file=", analyses + 1);
            if (name < 0 || analyses < 0 || file < 0) continue;
            if (Arrays.asList(line.substring(analyses + 10, file).split(",")).contains("method-count")) return line.substring(name + 6, analyses);
        }
        return null;
    }

    private static Calls replaced(Calls now) {
        if (before != null) before.forget();
        return now;
    }

    /** Entries of methods of that name ({@link Calls#of}) since {@link #countCalls}. */
    public static synchronized long calls(String method) {
        Calls now = Calls.now();
        return now.of(method) - (before == null ? 0 : before.of(method));
    }

    /** Methods of that name must have been entered as often since {@link #countCalls}: {@code assertCalls("Repo.load", 1)}. */
    public static void assertCalls(String method, long times) {
        assertCalls(method, times, times);
    }

    /** The same, for at least {@code least} and at most {@code most} entries. */
    public static void assertCalls(String method, long least, long most) {
        long calls = calls(method);
        if (calls >= least && calls <= most) return;
        String wanted = least == most ? "" + least : most == Long.MAX_VALUE ? "at least " + least : least == 0 ? "at most " + most : least + " to " + most;
        throw new AssertionError(method + ": expected " + wanted + (wanted.equals("1") || wanted.endsWith(" 1") ? " call" : " calls") + ", counted " + calls);
    }

    private static String named(String name) {
        if (name == null) throw new NullPointerException("name");
        return name;
    }

    private static void must(String refusal) {
        if (refusal != null) throw new IllegalStateException(refusal);
    }

    /** An error message or null; for STATUS, the status. */
    private static native String control(int command, String name, String argument);
}
