// URI and URL: parts, resolution by RFC rules, normalising, encoding, equality, errors; decoding of forms.
import java.net.*;
import java.nio.charset.*;
import java.util.*;

public class Uri_resolving {
    interface Op { Object run() throws Exception; }
    static String t(Op o) { try { return String.valueOf(o.run()); } catch (Exception e) { return e.getClass().getSimpleName() + "(" + e.getMessage() + ")"; } }

    public static void main(String[] args) throws Exception {
        for (String s : new String[]{"http://u:p@h.org:8080/a/b;x?q=1&r=%20#f", "mailto:a@b", "file:///x y", "//h/p", "?q", "#f", "", "a:b", "http://[::1]:9/", "http://h_u/", "urn:isbn:1", "http://\u00e9/\u00e9", "http://h:x/", "ht tp:a", "http:///p", "x/y:z", "1a:b", "http://h/%zz", "http://[::g]/"})
            try { URI u = new URI(s); System.out.println(s + " " + u.getScheme() + "|" + u.getAuthority() + "|" + u.getUserInfo() + "|" + u.getHost() + "|" + u.getPort() + "|" + u.getPath() + "|" + u.getRawQuery() + "|" + u.getFragment() + "|" + u.isOpaque() + u.isAbsolute() + " " + u.toASCIIString()); } catch (URISyntaxException e) { System.out.println(s + " " + e.getReason() + " @" + e.getIndex()); }
        URI base = URI.create("http://a/b/c/d;p?q");
        for (String r : "g:h g ./g g/ /g //g ?y g?y #s g#s ;x . ./ .. ../ ../g ../.. ../../g ../../../g /./g g. ..g ./../g g/./h g/../h http:g".split(" ")) System.out.print(r + "=" + base.resolve(r) + " ");
        System.out.println();
        System.out.println(base.relativize(URI.create("http://a/b/c/e/f")) + " " + URI.create("a/../../b/./c").normalize() + " " + URI.create("HTTP://A/x").equals(URI.create("http://a/x")) + " " + URI.create("http://a/%7e").equals(URI.create("http://a/%7E")) + " " + URI.create("b").compareTo(URI.create("a")) + " " + new URI("http", "h", "/a b\u00e9%", "f g") + " " + new URI("http", null, "h", 80, "/p", "q=1 2&x=\"", null) + " " + t(() -> new URI("http", "h", "rel", null)));
        URL u = new URL("https://user@h.org/p/q.html?x=1#ref");
        System.out.println(u.getProtocol() + " " + u.getHost() + " " + u.getPort() + " " + u.getDefaultPort() + " " + u.getFile() + " " + u.getRef() + " " + u.getUserInfo() + " " + new URL(u, "../r?y") + " " + new URL(u, "//other/z") + " " + u.toExternalForm() + " " + u.sameFile(new URL("https://user@h.org/p/q.html?x=1")));
        for (String s : new String[]{"nope://x", "noscheme", "http://h:99999/", "http://h:-2/", "jar:file:x!/y", "jar:x", "file:a\\b"}) System.out.print(t(() -> new URL(s)) + " ");
        System.out.println();
        System.out.println(URLEncoder.encode("a b&c=\u00e9/~*-_.\ud83d\ude00+", StandardCharsets.UTF_8) + " " + URLDecoder.decode("a+b%26%C3%A9", StandardCharsets.UTF_8) + " " + t(() -> URLDecoder.decode("%zz", StandardCharsets.UTF_8)) + " " + t(() -> URLDecoder.decode("%4", StandardCharsets.UTF_8)));
        System.out.println(IDN.toASCII("b\u00fccher.de") + " " + IDN.toUnicode("xn--bcher-kva.de") + " " + HttpCookie.parse("Set-Cookie: a=b; Path=/x; Max-Age=5; Secure; HttpOnly").get(0).getMaxAge() + " " + Inet6Address.getByName("::ffff:1.2.3.4") + " " + InetAddress.getByName("1.2.3.4").isSiteLocalAddress() + " " + t(() -> InetAddress.getByName("1.2.3.400.5")).startsWith("UnknownHost") + " " + InetSocketAddress.createUnresolved("h", 5) + " " + InetAddress.getByAddress("n", new byte[]{127, 0, 0, 1}) + " " + InetAddress.getLoopbackAddress().isLoopbackAddress());
    }
}
