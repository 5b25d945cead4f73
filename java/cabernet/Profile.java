package cabernet;

/**
 * Control of the profile of this very program, as {@code jcmd PID Profile.*} has it from outside. The class comes
 * with cabernet: {@code javac -cp build/lib/java} finds it, and at run time it is there without being on
 * the class path. Every method throws {@link IllegalStateException}, which says why, where what is
 * asked for cannot be.
 */
public final class Profile {
    private static final int START = 0, STOP = 1, SET = 2, DUMP = 3, STATUS = 4;

    private Profile() {}

    /** Starts a profile: analyses and options as behind {@code -Xprofile:}. There is one for a process. */
    public static void start(String profile) {
        if (profile == null) throw new NullPointerException("profile");
        must(control(START, profile));
    }

    /** Goes on with the profile that was stopped. */
    public static void start() {
        must(control(START, null));
    }

    /** Records nothing until the next start. The profile is written when the program ends. */
    public static void stop() {
        must(control(STOP, null));
    }

    /** Changes how the profile samples: {@code "interval=N:jitter=N:burst=N"}, or some of these. */
    public static void set(String options) {
        must(control(SET, options));
    }

    /**
     * Changes a register of the profile's productions. Threads take the value when they next set a counter to it; where
     * productions say how the profile samples, it does so from now on.
     */
    public static void set(String register, long value) {
        if (register == null) throw new NullPointerException("register");
        set(register + "=" + value);
    }

    /** Writes the profile as it is now. */
    public static void dump(String file) {
        if (file == null) throw new NullPointerException("file");
        must(control(DUMP, file));
    }

    /** Whether there is a profile and how it samples, in one line. */
    public static String status() {
        return control(STATUS, null);
    }

    /**
     * The program has come to the point of that name: for the times between two points that {@code between=} measures.
     * Without such a profile nothing happens.
     */
    public static void mark(String name) {
        mark(name, 0);
    }

    /** The same; points with @key are matched by the key, in whichever threads they are. */
    public static native void mark(String name, long key);

    // ---- counted calls ----

    private static Calls before;  // the counts that those of assertCalls begin at; null: zero

    /**
     * Counts for {@link #assertCalls} begin here; before the first time they begin with the profile. Where there is none, one of
     * {@code method-count} is started.
     */
    public static synchronized void countCalls() {
        try {
            before = replaced(Calls.now());
        } catch (IllegalStateException e) {
            if (!status().startsWith("no profile")) throw e;
            start("method-count");
            before = replaced(Calls.now());
        }
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

    private static void must(String refusal) {
        if (refusal != null) throw new IllegalStateException(refusal);
    }

    /** What is wrong, or null; the status. */
    private static native String control(int command, String argument);
}
