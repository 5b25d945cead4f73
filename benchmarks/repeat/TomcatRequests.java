import java.io.*;
import java.net.*;
import java.nio.charset.StandardCharsets;
import java.nio.file.*;
import java.util.logging.*;
import org.apache.catalina.Context;
import org.apache.catalina.servlets.DefaultServlet;
import org.apache.catalina.startup.Tomcat;

/** Requests to a Tomcat that stays alive in this process: TomcatRequests COUNT. Prints a checksum of the answers. */
public final class TomcatRequests {
    private static Tomcat tomcat;

    private TomcatRequests() { }

    private static void start() throws Exception {
        Logger.getLogger("").setLevel(Level.SEVERE);
        Path base = Files.createTempDirectory("tomcat");
        Runtime.getRuntime().addShutdownHook(new Thread(() -> delete(base.toFile())));
        Files.writeString(base.resolve("static.html"), "<p>static</p>\n".repeat(500));
        tomcat = new Tomcat();
        tomcat.setBaseDir(base.toString());
        tomcat.setHostname("127.0.0.1");
        tomcat.setPort(0);
        tomcat.getConnector().setProperty("address", "127.0.0.1");
        Context context = tomcat.addContext("", base.toString());
        Tomcat.addServlet(context, "hello", new TomcatApp.Hello());
        context.addServletMappingDecoded("/hello/*", "hello");
        Tomcat.addServlet(context, "files", new DefaultServlet());
        context.addServletMappingDecoded("/", "files");
        tomcat.start();
    }

    private static void delete(File file) {
        File[] children = file.listFiles();
        if (children != null) for (File child : children) delete(child);
        file.delete();
    }

    public static void main(String[] args) throws Exception {
        if (tomcat == null) start();
        int sum = 0;
        for (int i = 0; i < Integer.parseInt(args[0]); i++) {
            String path = i % 3 == 0 ? "static.html" : "hello/x?name=" + i;
            URL url = new URL("http://127.0.0.1:" + tomcat.getConnector().getLocalPort() + "/" + path);
            try (InputStream in = url.openStream()) {
                sum = 31 * sum + new String(in.readAllBytes(), StandardCharsets.UTF_8).hashCode();
            }
        }
        System.out.println(sum);
    }
}
