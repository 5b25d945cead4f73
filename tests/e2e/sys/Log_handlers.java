// java.util.logging: level inheritance, handlers, filters, formatters, records, bundles, streams, memory handlers.
import java.io.*;
import java.util.*;
import java.util.logging.*;

public class Log_handlers {
    public static class Res extends ListResourceBundle { @Override protected Object[][] getContents() { return new Object[][]{{"greet", "Hello {0} from bundle"}}; } }

    public static void main(String[] args) throws Exception {
        Logger root = Logger.getLogger("a"), kid = Logger.getLogger("a.b.c"), mid = Logger.getLogger("a.b");
        root.setUseParentHandlers(false);
        List<String> log = new ArrayList<>();
        Handler h = new Handler() {
            @Override public void publish(LogRecord r) { if (isLoggable(r)) log.add(r.getLevel() + " " + r.getLoggerName() + " " + new SimpleFormatter().formatMessage(r) + " " + r.getSourceMethodName() + (r.getThrown() == null ? "" : " " + r.getThrown())); }
            @Override public void flush() { log.add("flush"); }
            @Override public void close() { log.add("close"); }
        };
        h.setLevel(Level.ALL);
        root.addHandler(h);
        System.out.println(kid.getParent().getName() + " " + mid.getParent().getName() + " " + kid.getLevel() + " " + kid.isLoggable(Level.FINE) + " " + kid.isLoggable(Level.INFO));
        kid.fine("hidden");
        root.setLevel(Level.FINE);
        kid.fine("shown");
        mid.setLevel(Level.OFF);
        kid.severe("off by parent");
        mid.setLevel(null);
        kid.log(Level.WARNING, "args {0} {1} {2}", new Object[]{1, "two"});
        kid.log(Level.INFO, "quoted '{0}' {0", "x");
        kid.log(Level.SEVERE, "thrown", new IllegalStateException("t"));
        kid.entering("C", "m", new Object[]{1});
        kid.logp(Level.CONFIG, "Cls", "meth", () -> "supplied");
        kid.log(Level.FINEST, () -> { throw new Error("not evaluated"); });
        root.setFilter(r -> !r.getMessage().contains("secret"));
        root.info("secret own");
        kid.info("secret of child");
        h.setFilter(r -> r.getLevel().intValue() >= 1000);
        kid.info("filtered");
        kid.severe("passes");
        h.setFilter(null);
        Logger res = Logger.getLogger("a.res", "Log_handlers$Res");
        res.log(Level.INFO, "greet", "me");
        java.lang.ref.Reference.reachabilityFence(root);  // a collection takes loggers that nothing refers to, with their handlers
        log.forEach(System.out::println);
        log.clear();
        ByteArrayOutputStream bo = new ByteArrayOutputStream();
        StreamHandler sh = new StreamHandler(bo, new java.util.logging.Formatter() { @Override public String getHead(Handler x) { return "<"; } @Override public String format(LogRecord r) { return "[" + formatMessage(r) + "]"; } @Override public String getTail(Handler x) { return ">"; } });
        MemoryHandler m = new MemoryHandler(sh, 3, Level.SEVERE);
        m.setLevel(Level.ALL);
        Logger mem = Logger.getAnonymousLogger();
        mem.setUseParentHandlers(false);
        mem.addHandler(m);
        for (int i = 0; i < 5; i++) mem.info("m" + i);
        mem.severe("push");
        mem.info("kept back");
        sh.close();
        System.out.println(bo);
        StringWriter sw = new StringWriter();
        LogRecord r = new LogRecord(Level.INFO, "rec");
        r.setInstant(java.time.Instant.EPOCH);
        r.setLoggerName("L");
        r.setSourceClassName("S");
        r.setSourceMethodName("m");
        r.setSequenceNumber(7);
        System.setProperty("java.util.logging.SimpleFormatter.format", "%1$tF %2$s %3$s %4$s %5$s%6$s%n");
        System.out.print(new SimpleFormatter().format(r));
        System.out.println(new XMLFormatter().format(r).replaceAll("\\s+", " ").replaceAll("<thread>\\d+", "<thread>N"));
        for (String l : new String[]{"INFO", "800", "OFF", "1234", "nope"}) try { System.out.print(Level.parse(l) + "/" + Level.parse(l).intValue() + " "); } catch (IllegalArgumentException e) { System.out.print(e.getMessage() + " "); }
        LogManager.getLogManager().readConfiguration(new ByteArrayInputStream("handlers=\n.level=WARNING\na.b.level=FINER\n".getBytes()));
        System.out.println("\n" + Logger.getLogger("a.b").getLevel() + " " + Logger.getLogger("").getLevel() + " " + Logger.getLogger("").getHandlers().length + " " + Logger.getGlobal().getName());
    }
}
