// InetAddress, InetSocketAddress, URI and URL parsing without any name service.
import java.net.*;
import java.util.*;

public class Address_parsing {
    public static void main(String[] args) throws Exception {
        for (String s : new String[]{"127.0.0.1", "10.1.2.3", "::1", "fe80::1", "2001:db8::ff00:42:8329", "::ffff:1.2.3.4", "0.0.0.0", "224.0.0.1", "192.168.1.1"}) {
            InetAddress a = InetAddress.getByName(s);
            System.out.println(a.getHostAddress() + " " + a.getAddress().length + " " + a.isLoopbackAddress() + a.isAnyLocalAddress() + a.isMulticastAddress() + a.isSiteLocalAddress() + a.isLinkLocalAddress() + " " + a.getClass().getSimpleName());
        }
        try {
            InetAddress.getByAddress(new byte[3]);
        } catch (UnknownHostException e) {
            System.out.println(e.getMessage());
        }
        InetSocketAddress i = InetSocketAddress.createUnresolved("some.host", 80);
        System.out.println(i + " " + i.isUnresolved() + " " + new InetSocketAddress(InetAddress.getByAddress("named", new byte[]{1, 2, 3, 4}), 5));
        try {
            new InetSocketAddress("127.0.0.1", 70000);
        } catch (IllegalArgumentException e) {
            System.out.println(e.getMessage());
        }
        URI u = new URI("http://user:pw@example.com:8080/a/b/../c%20d?q=1&r=%C3%A9#frag");
        System.out.println(u.getScheme() + " " + u.getUserInfo() + " " + u.getHost() + " " + u.getPort() + " " + u.getPath() + " " + u.getRawPath() + " " + u.getQuery() + " " + u.getFragment() + " " + u.normalize() + " " + u.resolve("../x?y") + " " + URI.create("a/b").isAbsolute() + " " + URI.create("http://h/a/").relativize(URI.create("http://h/a/b/c")));
        for (String bad : new String[]{"http://[", "a b", "%zz", "http://h:port", ":x"}) {
            try {
                System.out.println(new URI(bad).getAuthority());
            } catch (URISyntaxException e) {
                System.out.println(e.getMessage());
            }
        }
        URL l = new URL("https://example.org:444/p/f.html?x=y#z");
        System.out.println(l.getProtocol() + " " + l.getPort() + " " + l.getDefaultPort() + " " + l.getFile() + " " + l.getRef() + " " + l.toExternalForm() + " " + new URL(l, "../other"));
        try {
            new URL("nope://x");
        } catch (MalformedURLException e) {
            System.out.println(e.getMessage());
        }
        System.out.println(InetAddress.getLoopbackAddress() + " " + NetworkInterface.getByInetAddress(InetAddress.getByName("127.0.0.1")).isLoopback() + " " + new HttpCookie("k", "v") + " " + HttpCookie.parse("Set-Cookie: a=b; Max-Age=5").get(0).getMaxAge());
    }
}
