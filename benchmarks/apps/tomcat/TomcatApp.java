import jakarta.servlet.*;
import jakarta.servlet.http.*;
import java.io.*;
import java.net.*;
import java.net.http.*;
import java.nio.charset.StandardCharsets;
import java.nio.file.*;
import java.util.*;
import java.util.concurrent.*;
import java.util.logging.Level;
import java.util.logging.Logger;
import org.apache.catalina.Context;
import org.apache.catalina.servlets.DefaultServlet;
import org.apache.catalina.startup.Tomcat;
import org.apache.tomcat.util.descriptor.web.*;

/** Tomcat on the loopback address with servlets, a filter, sessions, static files and JSP, and client threads. */
public final class TomcatApp {
    public static final class Hello extends HttpServlet {
        @Override protected void doGet(HttpServletRequest q, HttpServletResponse a) throws IOException {
            a.setContentType("text/plain;charset=UTF-8");
            a.getWriter().println("hello " + q.getParameter("name") + " from " + q.getServletPath() + " " + q.getHeader("X-Shop"));
        }

        @Override protected void doPost(HttpServletRequest q, HttpServletResponse a) throws IOException {
            byte[] body = q.getInputStream().readAllBytes();
            a.setHeader("X-Length", String.valueOf(body.length));
            for (int i = 0, j = body.length - 1; i < j; i++, j--) {
                byte b = body[i];
                body[i] = body[j];
                body[j] = b;
            }
            a.getOutputStream().write(body);
        }
    }

    public static final class Counting extends HttpServlet {
        @Override protected void doGet(HttpServletRequest q, HttpServletResponse a) throws IOException {
            HttpSession s = q.getSession();
            Integer n = (Integer) s.getAttribute("n");
            s.setAttribute("n", n == null ? 1 : n + 1);
            a.getWriter().println("visit " + s.getAttribute("n") + (s.isNew() ? " new" : ""));
        }
    }

    public static final class Failing extends HttpServlet {
        @Override protected void doGet(HttpServletRequest q, HttpServletResponse a) throws IOException {
            a.sendError(418, "no tea");
        }
    }

    public static final class Stamp implements Filter {
        @Override public void doFilter(ServletRequest q, ServletResponse a, FilterChain chain) throws IOException, ServletException {
            ((HttpServletResponse) a).setHeader("X-Filter", "passed");
            chain.doFilter(q, a);
        }
    }

    private static void say(HttpResponse<String> r) {
        String body = r.body().strip();
        System.out.println(r.statusCode() + " " + r.headers().firstValue("Content-Type").orElse("-") + " "
            + r.headers().firstValue("X-Filter").orElse("-") + " " + (body.length() > 300 ? body.length() + " characters " + body.hashCode() : body));
    }

    public static void main(String[] args) throws Exception {
        Logger root = Logger.getLogger("");
        root.setLevel(Level.SEVERE);
        Path base = Files.createTempDirectory("tomcat");
        Path pages = Files.createDirectories(base.resolve("pages"));
        Files.writeString(pages.resolve("static.html"), "<p>static</p>\n".repeat(500));
        Files.writeString(pages.resolve("page.jsp"), "<%@ page contentType=\"text/html;charset=UTF-8\" %><%! int twice(int n) { return 2 * n; } %>"
            + "<ul><% for (int i = 0; i < 4; i++) { %><li><%= twice(i) %> ${param.name} ${1 + 2 * 3}</li><% } %></ul>\n");
        Tomcat tomcat = new Tomcat();
        tomcat.setBaseDir(base.toString());
        tomcat.setHostname("127.0.0.1");
        tomcat.setPort(0);
        tomcat.getConnector().setProperty("address", "127.0.0.1");
        Context context = tomcat.addContext("", pages.toString());
        context.setSessionTimeout(5);
        Tomcat.addServlet(context, "hello", new Hello());
        context.addServletMappingDecoded("/hello/*", "hello");
        Tomcat.addServlet(context, "count", new Counting());
        context.addServletMappingDecoded("/count", "count");
        Tomcat.addServlet(context, "fail", new Failing());
        context.addServletMappingDecoded("/fail", "fail");
        Tomcat.addServlet(context, "files", new DefaultServlet());
        context.addServletMappingDecoded("/", "files");
        context.addServletContainerInitializer(new org.apache.jasper.servlet.JasperInitializer(), null);
        // At once, as in Tomcat's own web.xml: its background thread calls this servlet every 10 s, initialised or not.
        Tomcat.addServlet(context, "jsp", new org.apache.jasper.servlet.JspServlet()).setLoadOnStartup(3);
        context.addServletMappingDecoded("*.jsp", "jsp");
        FilterDef filter = new FilterDef();
        filter.setFilterName("stamp");
        filter.setFilter(new Stamp());
        context.addFilterDef(filter);
        FilterMap map = new FilterMap();
        map.setFilterName("stamp");
        map.addURLPatternDecoded("/hello/*");
        context.addFilterMap(map);
        tomcat.start();
        URI uri = URI.create("http://127.0.0.1:" + tomcat.getConnector().getLocalPort() + "/");

        HttpClient client = HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).cookieHandler(new CookieManager()).build();
        HttpResponse.BodyHandler<String> text = HttpResponse.BodyHandlers.ofString();
        for (String path : new String[] {"hello/a?name=j%C3%BCrg", "count", "count", "count", "static.html", "page.jsp?name=anna", "page.jsp?name=bob", "missing"}) {
            HttpResponse<String> r = client.send(HttpRequest.newBuilder(uri.resolve("/" + path)).header("X-Shop", "open").build(), text);
            say(r);
        }
        say(client.send(HttpRequest.newBuilder(uri.resolve("/hello/b")).POST(HttpRequest.BodyPublishers.ofString("reverse this")).build(), text));
        HttpURLConnection old = (HttpURLConnection) uri.resolve("/fail").toURL().openConnection();
        System.out.println(old.getResponseCode() + " " + new String(old.getErrorStream().readAllBytes(), StandardCharsets.UTF_8).contains("no tea"));

        ExecutorService pool = Executors.newFixedThreadPool(4);
        List<Future<Integer>> answers = new ArrayList<>();
        for (int i = 0; i < 60; i++) {
            String path = i % 3 == 0 ? "static.html" : "hello/x?name=" + i;
            answers.add(pool.submit(() -> {
                HttpURLConnection c = (HttpURLConnection) uri.resolve("/" + path).toURL().openConnection();
                try (InputStream in = c.getInputStream()) {
                    return new String(in.readAllBytes(), StandardCharsets.UTF_8).hashCode();
                }
            }));
        }
        int sum = 0;
        for (Future<Integer> f : answers) sum = 31 * sum + f.get();
        System.out.println("60 answers " + sum);
        pool.shutdown();
        tomcat.stop();
        tomcat.destroy();
        try (var files = Files.walk(base)) {
            files.sorted(Comparator.reverseOrder()).forEach(f -> f.toFile().delete());
        }
        System.out.println("stopped " + !Files.exists(base));
        System.exit(0);
    }
}
