// java.util.logging to standard error with a fixed format; prefs-free configuration.
import java.util.logging.*;

public class Logging_records {
    public static void main(String[] args) {
        System.setProperty("java.util.logging.SimpleFormatter.format", "%4$s: %3$s - %5$s%6$s%n");
        Logger l = Logger.getLogger("test.logger");
        l.info("information");
        l.fine("not shown");
        l.warning("careful");
        l.log(Level.SEVERE, "with {0} and {1}", new Object[]{"param", 5});
        l.setUseParentHandlers(false);
        StringBuilder sb = new StringBuilder();
        l.addHandler(new Handler() {
            @Override public void publish(LogRecord r) { sb.append(r.getLevel()).append('/').append(r.getSourceMethodName()).append('/').append(getFormatter() == null ? r.getMessage() : "").append(' '); }
            @Override public void flush() { }
            @Override public void close() { }
        });
        l.setLevel(Level.ALL);
        l.finest("deep");
        l.entering("C", "m");
        l.log(Level.CONFIG, () -> "lazy");
        l.throwing("C", "m", new Exception("x"));
        System.out.println(sb + " " + l.getParent().getName().isEmpty() + " " + l.isLoggable(Level.FINE) + " " + Level.parse("800") + " " + LogManager.getLogManager().getLogger("test.logger").equals(l));
        System.Logger sl = System.getLogger("sys.logger");
        System.out.println(sl.getName() + " " + sl.isLoggable(System.Logger.Level.INFO) + " " + sl.isLoggable(System.Logger.Level.TRACE));
    }
}
