// java.net.http against the JDK's server: methods, headers, bodies, redirects, timeouts, asynchronous requests.
import com.sun.net.httpserver.*;
import java.io.*;
import java.net.*;
import java.net.http.*;
import java.nio.file.*;
import java.time.Duration;
import java.util.*;
import java.util.concurrent.*;
import java.util.stream.*;

public class Http_requests {
    public static void main(String[] args) throws Exception {
        HttpServer s = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 50);
        ExecutorService pool = Executors.newCachedThreadPool();
        s.setExecutor(pool);
        CountDownLatch never = new CountDownLatch(1);
        s.createContext("/echo", x -> { byte[] b = (x.getRequestMethod() + " " + x.getRequestURI().getQuery() + " " + x.getRequestHeaders().getFirst("X-Own") + " " + new String(x.getRequestBody().readAllBytes())).getBytes(); x.getResponseHeaders().add("X-Many", "1"); x.getResponseHeaders().add("X-Many", "2"); x.sendResponseHeaders(200, b.length); x.getResponseBody().write(b); x.close(); });
        s.createContext("/chunked", x -> { x.sendResponseHeaders(200, 0); try (OutputStream o = x.getResponseBody()) { for (int i = 0; i < 50; i++) o.write(("line " + i + "\n").repeat(20).getBytes()); } });
        s.createContext("/moved", x -> { x.getResponseHeaders().add("Location", "/echo?from=moved"); x.sendResponseHeaders(302, -1); x.close(); });
        s.createContext("/slow", x -> { try { never.await(); } catch (InterruptedException e) { } x.close(); });
        s.createContext("/status", x -> { x.sendResponseHeaders(Integer.parseInt(x.getRequestURI().getQuery()), -1); x.close(); });
        s.start();
        String base = "http://127.0.0.1:" + s.getAddress().getPort();
        HttpClient c = HttpClient.newBuilder().followRedirects(HttpClient.Redirect.NORMAL).connectTimeout(Duration.ofMinutes(1)).build();
        HttpResponse<String> r = c.send(HttpRequest.newBuilder(URI.create(base + "/echo?a=1")).header("X-Own", "h").build(), HttpResponse.BodyHandlers.ofString());
        System.out.println(r.statusCode() + " " + r.body() + " " + r.headers().allValues("x-many") + " " + r.version() + " " + r.headers().firstValueAsLong("Content-Length").getAsLong());
        System.out.println(c.send(HttpRequest.newBuilder(URI.create(base + "/echo")).POST(HttpRequest.BodyPublishers.ofString("posted \u00e9")).build(), HttpResponse.BodyHandlers.ofString()).body());
        System.out.println(c.send(HttpRequest.newBuilder(URI.create(base + "/echo")).method("PATCH", HttpRequest.BodyPublishers.ofByteArrays(List.of("a".getBytes(), "b".getBytes()))).build(), HttpResponse.BodyHandlers.ofByteArray()).body().length);
        System.out.println(c.send(HttpRequest.newBuilder(URI.create(base + "/moved")).build(), HttpResponse.BodyHandlers.ofString()).previousResponse().get().statusCode());
        System.out.println(c.send(HttpRequest.newBuilder(URI.create(base + "/chunked")).build(), HttpResponse.BodyHandlers.ofLines()).body().filter(l -> l.endsWith("7")).count() + " " + Files.size(c.send(HttpRequest.newBuilder(URI.create(base + "/chunked")).build(), HttpResponse.BodyHandlers.ofFile(Path.of("body"))).body()));
        for (int code : new int[]{204, 404, 500}) System.out.print(c.send(HttpRequest.newBuilder(URI.create(base + "/status?" + code)).build(), HttpResponse.BodyHandlers.discarding()).statusCode() + " ");
        System.out.println();
        System.out.println(IntStream.range(0, 8).mapToObj(i -> c.sendAsync(HttpRequest.newBuilder(URI.create(base + "/echo?n=" + i)).build(), HttpResponse.BodyHandlers.ofString()).thenApply(HttpResponse::body)).collect(Collectors.toList()).stream().map(CompletableFuture::join).map(b -> b.split(" ")[1]).collect(Collectors.joining(",")));
        for (int ms = 50; ms > 0; ms *= 2) {
            try {
                c.send(HttpRequest.newBuilder(URI.create(base + "/slow")).timeout(Duration.ofMillis(ms)).build(), HttpResponse.BodyHandlers.ofString());
            } catch (HttpConnectTimeoutException e) {
                continue;  // too short even to send the request
            } catch (HttpTimeoutException e) {
                System.out.println(e.getMessage());
            }
            break;
        }
        s.stop(0);
        try { HttpClient.newHttpClient().send(HttpRequest.newBuilder(URI.create(base + "/x")).build(), HttpResponse.BodyHandlers.ofString()); } catch (ConnectException e) { System.out.println("no server"); }
        for (Runnable bad : new Runnable[]{() -> HttpRequest.newBuilder(URI.create("ftp://x")), () -> HttpRequest.newBuilder(URI.create(base)).header("Host", "x"), () -> HttpRequest.newBuilder(URI.create(base)).header("a b", "x"), () -> HttpRequest.newBuilder().build(), () -> HttpRequest.newBuilder(URI.create(base)).timeout(Duration.ZERO)}) try { bad.run(); System.out.println("fine"); } catch (RuntimeException e) { System.out.println(e.getClass().getSimpleName() + " " + e.getMessage()); }
        pool.shutdownNow();
        System.exit(0);
    }
}
