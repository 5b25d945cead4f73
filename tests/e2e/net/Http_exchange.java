// The JDK's HTTP server and client on the loopback interface: methods, headers, bodies, status codes, async.
import com.sun.net.httpserver.*;
import java.io.*;
import java.net.*;
import java.net.http.*;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.*;
import java.util.concurrent.*;

public class Http_exchange {
    public static void main(String[] args) throws Exception {
        HttpServer s = HttpServer.create(new InetSocketAddress(InetAddress.getByAddress(new byte[]{127, 0, 0, 1}), 0), 0);
        ExecutorService pool = Executors.newFixedThreadPool(2);
        s.setExecutor(pool);
        s.createContext("/echo", x -> {
            byte[] in = x.getRequestBody().readAllBytes();
            byte[] out = (x.getRequestMethod() + " " + x.getRequestURI() + " " + x.getRequestHeaders().getFirst("X-Test") + " " + new String(in, StandardCharsets.UTF_8)).getBytes(StandardCharsets.UTF_8);
            x.getResponseHeaders().add("X-Reply", "yes");
            x.sendResponseHeaders(200, out.length);
            try (OutputStream o = x.getResponseBody()) { o.write(out); }
        });
        s.createContext("/missing", x -> { x.sendResponseHeaders(404, -1); x.close(); });
        s.createContext("/chunks", x -> {
            x.sendResponseHeaders(200, 0);
            try (OutputStream o = x.getResponseBody()) { for (int i = 0; i < 20; i++) { o.write(("chunk" + i + ";").getBytes()); o.flush(); } }
        });
        s.start();
        URI base = URI.create("http://127.0.0.1:" + s.getAddress().getPort());
        HttpClient c = HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).connectTimeout(Duration.ofSeconds(20)).build();
        HttpResponse<String> r = c.send(HttpRequest.newBuilder(base.resolve("/echo?a=b")).header("X-Test", "h").POST(HttpRequest.BodyPublishers.ofString("body \u00e9")).build(), HttpResponse.BodyHandlers.ofString());
        System.out.println(r.statusCode() + " " + r.body() + " " + r.headers().firstValue("x-reply").get() + " " + r.version());
        System.out.println(c.send(HttpRequest.newBuilder(base.resolve("/missing")).build(), HttpResponse.BodyHandlers.discarding()).statusCode() + " " + c.send(HttpRequest.newBuilder(base.resolve("/none")).build(), HttpResponse.BodyHandlers.ofString()).statusCode());
        System.out.println(c.send(HttpRequest.newBuilder(base.resolve("/chunks")).build(), HttpResponse.BodyHandlers.ofByteArray()).body().length);
        List<CompletableFuture<String>> fs = new ArrayList<>();
        for (int i = 0; i < 4; i++) fs.add(c.sendAsync(HttpRequest.newBuilder(base.resolve("/echo/" + i)).build(), HttpResponse.BodyHandlers.ofString()).thenApply(HttpResponse::body));
        for (CompletableFuture<String> f : fs) System.out.println(f.get(30, TimeUnit.SECONDS));
        HttpURLConnection u = (HttpURLConnection) base.resolve("/echo").toURL().openConnection();
        u.setRequestProperty("X-Test", "old");
        System.out.println(u.getResponseCode() + " " + new String(u.getInputStream().readAllBytes()) + " " + u.getContentLength());
        s.stop(0);
        pool.shutdown();
        System.exit(0);
    }
}
