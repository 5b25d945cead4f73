// Threads blocked on sockets: late data, timeouts, close by another thread, interrupts, both directions at once.
import java.io.*;
import java.net.*;
import java.nio.*;
import java.nio.channels.*;
import java.nio.file.*;
import java.util.*;
import java.util.concurrent.*;
import java.util.concurrent.locks.LockSupport;

public class Blocked_sockets {
    interface Body {
        Object call() throws Exception;
    }

    /** Runs body in a separate thread; the task yields its result or its exception. */
    static FutureTask<String> start(Body body) {
        FutureTask<String> task = new FutureTask<>(() -> {
            try {
                return String.valueOf(body.call());
            } catch (Exception e) {
                return e.getClass().getName() + ": " + e.getMessage();
            }
        });
        Thread t = new Thread(task);
        threads.put(task, t);
        t.start();
        return task;
    }

    static final Map<FutureTask<?>, Thread> threads = new ConcurrentHashMap<>();

    /** Waits until the task is inside one of the native methods. */
    static void inside(FutureTask<?> task, String... methods) throws Exception {
        for (;;) {
            for (StackTraceElement e : threads.get(task).getStackTrace())
                for (String m : methods)
                    if ((e.getClassName() + "." + e.getMethodName()).equals("sun.nio.ch." + m)) {
                        Thread.sleep(5);
                        return;
                    }
            if (task.isDone()) return;
            Thread.sleep(1);
        }
    }

    static void show(String what, FutureTask<String> task) throws Exception {
        System.out.println(what + ": " + task.get());
    }

    static final InetAddress loop = InetAddress.getLoopbackAddress();

    static Socket[] pair() throws Exception {
        try (ServerSocket server = new ServerSocket(0, 5, loop)) {
            Socket a = new Socket(loop, server.getLocalPort());
            return new Socket[]{a, server.accept()};
        }
    }

    static void streams() throws Exception {
        Socket[] s = pair();
        var late = start(() -> s[0].getInputStream().read());
        inside(late, "SocketDispatcher.read0");
        for (int i = 0; i < 10; i++) LockSupport.unpark(threads.get(late));
        threads.get(late).interrupt(); // does not end a blocked read
        Thread.sleep(5);
        System.out.println("still reading: " + !late.isDone());
        s[1].getOutputStream().write(77);
        show("late", late);

        var both = start(() -> s[0].getInputStream().readNBytes(1 << 20).length);
        byte[] much = new byte[3 << 20];
        var writer = start(() -> {
            s[0].getOutputStream().write(much);
            return "written";
        });
        Thread.sleep(10);
        s[1].getOutputStream().write(new byte[1 << 20]);
        show("reader", both);
        System.out.println("read " + s[1].getInputStream().readNBytes(much.length).length);
        show("writer", writer);

        var end = start(() -> s[1].getInputStream().read());
        inside(end, "SocketDispatcher.read0");
        s[0].shutdownOutput();
        show("end", end);
        var closed = start(() -> s[0].getInputStream().read());
        inside(closed, "SocketDispatcher.read0");
        s[0].close();
        show("closed by another", closed);
        s[1].close();

        Socket[] r = pair();
        var reset = start(() -> r[0].getInputStream().read());
        inside(reset, "SocketDispatcher.read0");
        r[1].setSoLinger(true, 0);
        r[1].close();
        show("reset", reset);
        r[0].close();
    }

    static void timeouts() throws Exception {
        Socket[] s = pair();
        s[0].setSoTimeout(20);
        show("read", start(() -> s[0].getInputStream().read()));
        s[0].setSoTimeout(60000);
        var enough = start(() -> s[0].getInputStream().read());
        inside(enough, "Net.poll");
        s[1].getOutputStream().write(5);
        show("enough time", enough);
        var closed = start(() -> s[0].getInputStream().read());
        inside(closed, "Net.poll");
        s[0].close();
        show("closed", closed);
        s[1].close();
        ServerSocket server = new ServerSocket(0, 5, loop);
        server.setSoTimeout(20);
        show("accept", start(server::accept));
        server.setSoTimeout(60000);
        var polling = start(server::accept);
        inside(polling, "Net.poll");
        server.close();
        show("timed accept closed", polling);
        ServerSocket patient = new ServerSocket(0, 5, loop);
        var accept = start(patient::accept);
        inside(accept, "Net.accept");
        patient.close();
        show("accept closed", accept);
    }

    static void channels() throws Exception {
        ServerSocketChannel server = ServerSocketChannel.open().bind(new InetSocketAddress(loop, 0));
        var accepted = start(() -> server.accept().isConnected());
        inside(accepted, "Net.accept");
        SocketChannel a = SocketChannel.open(server.getLocalAddress());
        show("accepted", accepted);
        var interrupted = start(() -> a.read(ByteBuffer.allocate(10)));
        inside(interrupted, "SocketDispatcher.read0");
        threads.get(interrupted).interrupt();
        show("interrupted", interrupted);
        System.out.println("open " + a.isOpen());
        SocketChannel b = SocketChannel.open(server.getLocalAddress());
        SocketChannel c = server.accept();
        var closed = start(() -> b.read(ByteBuffer.allocate(10)));
        inside(closed, "SocketDispatcher.read0");
        b.close();
        show("closed", closed);
        show("other end", start(() -> c.read(ByteBuffer.allocate(10))));
        c.close();
        SocketChannel d = SocketChannel.open(server.getLocalAddress());
        var in = start(() -> d.read(ByteBuffer.allocate(10)));
        inside(in, "SocketDispatcher.read0");
        d.shutdownInput();
        show("input shut", in);
        d.configureBlocking(false);
        SocketChannel e = SocketChannel.open(server.getLocalAddress());
        e.configureBlocking(false);
        System.out.println("not blocking: " + e.read(ByteBuffer.allocate(10)));
        e.close();
        d.close();
        server.close();
    }

    static void datagrams() throws Exception {
        DatagramSocket a = new DatagramSocket(0, loop), b = new DatagramSocket(0, loop);
        var got = start(() -> {
            DatagramPacket p = new DatagramPacket(new byte[100], 100);
            a.receive(p);
            return p.getLength();
        });
        inside(got, "DatagramChannelImpl.receive0", "Net.poll");
        b.send(new DatagramPacket(new byte[33], 33, a.getLocalSocketAddress()));
        show("packet", got);
        a.setSoTimeout(20);
        show("late packet", start(() -> {
            a.receive(new DatagramPacket(new byte[1], 1));
            return "?";
        }));
        a.setSoTimeout(0);
        var closed = start(() -> {
            a.receive(new DatagramPacket(new byte[1], 1));
            return "?";
        });
        inside(closed, "DatagramChannelImpl.receive0", "Net.poll");
        a.close();
        show("closed", closed);
        b.close();
    }

    static void others() throws Exception {
        Pipe p = Pipe.open();
        var piped = start(() -> p.source().read(ByteBuffer.allocate(10)));
        inside(piped, "FileDispatcherImpl.read0");
        p.sink().write(ByteBuffer.allocate(3));
        show("pipe", piped);
        Path path = Path.of("socket");
        ServerSocketChannel server = ServerSocketChannel.open(StandardProtocolFamily.UNIX);
        server.bind(UnixDomainSocketAddress.of(path));
        var accepted = start(() -> server.accept() != null);
        inside(accepted, "UnixDomainSockets.accept0");
        SocketChannel client = SocketChannel.open(UnixDomainSocketAddress.of(path));
        show("local socket", accepted);
        client.close();
        var closed = start(server::accept);
        inside(closed, "UnixDomainSockets.accept0");
        server.close();
        show("local accept closed", closed);
        Files.delete(path);
        Selector selector = Selector.open();
        Pipe q = Pipe.open();
        q.source().configureBlocking(false);
        q.source().register(selector, SelectionKey.OP_READ);
        show("nothing to select", start(() -> selector.select(20)));
        var woken = start(selector::select);
        inside(woken, "EPoll.wait");
        selector.wakeup();
        show("woken", woken);
        var selected = start(selector::select);
        inside(selected, "EPoll.wait");
        q.sink().write(ByteBuffer.allocate(1));
        show("selected", selected);
        selector.selectedKeys().clear();
        q.source().read(ByteBuffer.allocate(1));
        var interrupted = start(() -> selector.select() + " " + Thread.currentThread().isInterrupted());
        inside(interrupted, "EPoll.wait");
        threads.get(interrupted).interrupt();
        show("interrupted", interrupted);
        selector.close();
    }

    public static void main(String[] args) throws Exception {
        streams();
        timeouts();
        channels();
        datagrams();
        others();
    }
}
