// Sockets: timeouts, options, half-closed streams, refused and closed connections, backlog, non-blocking channels.
import java.io.*;
import java.net.*;
import java.nio.*;
import java.nio.channels.*;
import java.util.*;

public class Socket_limits {
    /** Waits for the thread to enter a native method of that name; with a timeout set, accept calls poll. */
    static void awaitNative(Thread t, String method) throws InterruptedException {
        for (; ; Thread.sleep(1)) {
            StackTraceElement[] stack = t.getStackTrace();
            if (stack.length > 0 && stack[0].isNativeMethod() && stack[0].getMethodName().matches(method)) return;
        }
    }

    interface Op { Object run() throws Exception; }
    static void t(String what, Op o) { try { System.out.println(what + ": " + o.run()); } catch (Exception e) { System.out.println(what + ": " + e.getClass().getSimpleName() + " " + e.getMessage()); } }

    public static void main(String[] args) throws Exception {
        InetAddress lo = InetAddress.getLoopbackAddress();
        ServerSocket s = new ServerSocket(0, 5, lo);
        s.setSoTimeout(10);
        t("accept timeout", s::accept);
        s.setSoTimeout(0);
        Socket a = new Socket(lo, s.getLocalPort()), b = s.accept();
        a.setSoTimeout(10);
        t("read timeout", () -> a.getInputStream().read());
        a.setTcpNoDelay(true);
        a.setKeepAlive(true);
        a.setSoLinger(true, 3);
        System.out.println(a.getTcpNoDelay() + " " + a.getKeepAlive() + " " + a.getSoLinger() + " " + a.getSoTimeout() + " " + (a.getSendBufferSize() > 0) + " " + a.getReuseAddress() + " " + a.isConnected() + a.isBound() + a.isClosed() + " " + (a.getPort() == s.getLocalPort()) + " " + a.getOption(StandardSocketOptions.TCP_NODELAY) + " " + a.supportedOptions().contains(StandardSocketOptions.SO_LINGER));
        a.getOutputStream().write("hello".getBytes());
        a.shutdownOutput();
        System.out.println(new String(b.getInputStream().readAllBytes()) + " " + b.getInputStream().read() + " " + a.isOutputShutdown() + " " + b.isInputShutdown());
        t("write after shutdown", () -> { a.getOutputStream().write(1); return 0; });
        b.getOutputStream().write(new byte[]{1, 2, 3});
        System.out.println(a.getInputStream().readNBytes(3).length);
        b.close();
        t("after peer closed", () -> a.getInputStream().read());
        t("closed twice", () -> { b.close(); return b.isClosed(); });
        t("read closed", () -> b.getInputStream().read());
        t("bind again", () -> { new ServerSocket(s.getLocalPort(), 1, lo); return 0; });
        int port = s.getLocalPort();
        Thread main = Thread.currentThread();
        Thread closer = new Thread(() -> { try { awaitNative(main, "accept|poll"); s.close(); } catch (Exception e) { } });
        closer.start();
        t("accept while closing", s::accept);
        t("refused", () -> new Socket(lo, port));
        t("bad port", () -> new Socket(lo, 70000));
        t("unconnected", () -> new Socket().getInputStream());
        t("connect null", () -> { new Socket().connect(null); return 0; });
        t("unresolved", () -> { new Socket().connect(InetSocketAddress.createUnresolved("x.invalid", 1)); return 0; });
        ServerSocketChannel sc = ServerSocketChannel.open().bind(new InetSocketAddress(lo, 0));
        sc.configureBlocking(false);
        System.out.println(sc.accept());
        SocketChannel c = SocketChannel.open();
        c.configureBlocking(false);
        System.out.print(c.isConnected() + " ");
        boolean now = c.connect(sc.getLocalAddress());
        while (!c.finishConnect()) Thread.onSpinWait();
        System.out.println(c.isConnected());
        SocketChannel d = null;
        while (d == null) d = sc.accept();
        System.out.println(c.read(ByteBuffer.allocate(4)) + " " + d.write(new ByteBuffer[]{ByteBuffer.wrap("ab".getBytes()), ByteBuffer.wrap("cd".getBytes())}));
        c.configureBlocking(true);
        ByteBuffer[] two = {ByteBuffer.allocate(1), ByteBuffer.allocate(9)};
        long n = 0;
        while (n < 4) n += c.read(two);
        System.out.println(n + " " + two[0].position() + two[1].position());
        Thread reader = new Thread(() -> t("interrupted read", () -> c.read(ByteBuffer.allocate(1))));
        reader.start();
        awaitNative(reader, "read0");
        reader.interrupt();
        reader.join();
        System.out.println(c.isOpen());
        t("closed channel", () -> c.write(ByteBuffer.allocate(1)));
        SocketChannel blocked = SocketChannel.open(sc.getLocalAddress());
        Thread r2 = new Thread(() -> t("closed under read", () -> blocked.read(ByteBuffer.allocate(1))));
        r2.start();
        awaitNative(r2, "read0");
        blocked.close();
        r2.join();
        t("not yet connected", () -> SocketChannel.open().read(ByteBuffer.allocate(1)));
        try (DatagramSocket u = new DatagramSocket(0, lo)) {
            u.setSoTimeout(10);
            t("datagram timeout", () -> { u.receive(new DatagramPacket(new byte[5], 5)); return 0; });
            u.send(new DatagramPacket("longer".getBytes(), 6, u.getLocalSocketAddress()));
            DatagramPacket p = new DatagramPacket(new byte[4], 4);
            u.setSoTimeout(60_000);
            u.receive(p);
            System.out.println(new String(p.getData(), 0, p.getLength()) + " " + (p.getPort() == u.getLocalPort()));
        }
    }
}
