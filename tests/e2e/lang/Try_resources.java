// try-with-resources: close order, suppressed exceptions, null resources, failing constructors.
public class Try_resources {
    static StringBuilder log = new StringBuilder();

    static class R implements AutoCloseable {
        final String name;
        final boolean fail;
        R(String name, boolean failOpen, boolean failClose) {
            this.name = name;
            this.fail = failClose;
            log.append("open ").append(name).append("; ");
            if (failOpen) throw new IllegalStateException("open " + name);
        }
        @Override public void close() throws Exception {
            log.append("close ").append(name).append("; ");
            if (fail) throw new Exception("close " + name);
        }
    }

    static void run(int how) {
        log.setLength(0);
        try (R a = new R("a", false, how >= 2); R none = null; R b = new R("b", how == 3, how >= 2)) {
            log.append("body; ");
            if (how == 1 || how == 4) throw new RuntimeException("body");
        } catch (Exception e) {
            log.append("caught ").append(e.getMessage());
            for (Throwable s : e.getSuppressed()) log.append(" +").append(s.getMessage());
        } finally {
            log.append(" finally");
        }
        System.out.println(how + ": " + log);
    }

    static int returning() throws Exception {
        try (R a = new R("r", false, false)) {
            return log.length();
        }
    }

    public static void main(String[] args) throws Exception {
        for (int i = 0; i <= 4; i++) run(i);
        log.setLength(0);
        System.out.println(returning() + " " + log);
        R shared = new R("shared", false, true);
        try (shared; R other = new R("other", false, false)) {
            log.append("using both; ");
        } catch (Exception e) {
            System.out.println(e.getMessage() + " " + e.getSuppressed().length);
        }
        Throwable t = new Exception("self");
        try {
            t.addSuppressed(t);
        } catch (IllegalArgumentException e) {
            System.out.println(e.getMessage());
        }
        try {
            t.addSuppressed(null);
        } catch (NullPointerException e) {
            System.out.println(e.getMessage());
        }
    }
}
