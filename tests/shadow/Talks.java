import java.io.*;
import java.net.*;
import java.nio.ByteBuffer;
import java.nio.channels.*;
import java.util.ArrayList;
import java.util.List;

// Requests and replies, with work between them that depends on what was received. Arguments: how they talk (loop,
// threads, selector, child), the number of requests, and the size of the work. Prints the sum of the replies.
public class Talks {
    static int size;

    static int parse(int request) { return request * 31 + 7; }
    static int one(int x) { return x * 17 ^ x >>> 3; }
    static int two(int x) { return x + 11 ^ x << 1; }
    static int three(int x) { return x * 5 - 1; }
    static int four(int x) { return x ^ x >>> 7; }
    static int format(int x) { return x & 0xffff; }

    // The server's work: which methods it calls depends on the request.
    static int answer(int request) {
        int x = parse(request);
        for (int i = 0; i < size; i++) {
            switch (request & 7) {
                case 0: case 1: case 2: x = one(x); break;
                case 3: case 4: x = one(x); x = two(x); break;
                case 5: case 6: x = three(x); break;
                default: x = four(x); x = two(x);
            }
        }
        return format(x);
    }

    static int check(int x) { return x * 13 + 5; }
    static int mix(int x) { return x ^ x >>> 5; }

    // The client's work, with what it has received.
    static int use(int reply) {
        int x = reply;
        for (int i = 0; i < size; i++) x = (reply & 3) == 0 ? mix(check(x)) : check(x);
        return x;
    }

    static void serve(Socket s) {
        try (s; DataInputStream in = new DataInputStream(s.getInputStream());
             DataOutputStream out = new DataOutputStream(s.getOutputStream())) {
            for (;;) out.writeInt(answer(in.readInt()));
        } catch (EOFException e) {
            // The client is done.
        } catch (IOException e) {
            System.out.println(e);
        }
    }

    static long ask(DataInputStream in, DataOutputStream out, int from, int count) throws IOException {
        long sum = 0;
        for (int i = from; i < from + count; i++) {
            out.writeInt(i);
            out.flush();
            sum += use(in.readInt());
        }
        return sum;
    }

    static long ask(int port, int from, int count) throws IOException {
        try (Socket s = new Socket(InetAddress.getLoopbackAddress(), port);
             DataInputStream in = new DataInputStream(s.getInputStream());
             DataOutputStream out = new DataOutputStream(s.getOutputStream())) {
            return ask(in, out, from, count);
        }
    }

    interface Client { long ask(int from, int count) throws IOException; }

    static long clients(int number, int count, Client client) throws Exception {
        long[] sums = new long[number];
        List<Thread> threads = new ArrayList<>();
        for (int i = 0; i < number; i++) {
            int own = i;
            Thread t = new Thread(() -> {
                try {
                    sums[own] = client.ask(own * count / number, count / number);
                } catch (IOException e) {
                    System.out.println(e);
                }
            });
            t.start();
            threads.add(t);
        }
        long sum = 0;
        for (int i = 0; i < number; i++) {
            threads.get(i).join();
            sum += sums[i];
        }
        return sum;
    }

    // One connection, or a thread for each of several connections, each for part of the requests.
    static long sockets(int connections, int rounds, int count) throws Exception {
        ServerSocket server = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
        Thread accepting = new Thread(() -> {
            try {
                for (int i = 0; i < connections * rounds; i++) {
                    Socket s = server.accept();
                    new Thread(() -> serve(s)).start();
                }
            } catch (IOException e) {
                System.out.println(e);
            }
        });
        accepting.start();
        return clients(connections, count, (from, n) -> {
            long sum = 0;
            for (int r = 0; r < rounds; r++) sum += ask(server.getLocalPort(), from + r * n / rounds, n / rounds);
            return sum;
        });
    }

    static void select(Selector selector, int connections) throws IOException {
        for (int closed = 0; closed < connections;) {
            selector.select();
            for (SelectionKey key : selector.selectedKeys()) {
                if (key.isAcceptable()) {
                    SocketChannel c = ((ServerSocketChannel)key.channel()).accept();
                    if (c == null) continue;
                    c.configureBlocking(false);
                    c.register(selector, SelectionKey.OP_READ, ByteBuffer.allocate(4));
                } else {
                    SocketChannel c = (SocketChannel)key.channel();
                    ByteBuffer b = (ByteBuffer)key.attachment();
                    if (c.read(b) < 0) {
                        c.close();
                        closed++;
                    } else if (!b.hasRemaining()) {
                        b.flip();
                        int reply = answer(b.getInt());
                        b.clear();
                        c.write(ByteBuffer.allocate(4).putInt(0, reply));
                    }
                }
            }
            selector.selectedKeys().clear();
        }
    }

    static long selector(int connections, int count) throws Exception {
        Selector selector = Selector.open();
        ServerSocketChannel server = ServerSocketChannel.open();
        server.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
        server.configureBlocking(false);
        server.register(selector, SelectionKey.OP_ACCEPT);
        Thread selecting = new Thread(() -> {
            try {
                select(selector, connections);
            } catch (IOException e) {
                System.out.println(e);
            }
        });
        selecting.start();
        int port = ((InetSocketAddress)server.getLocalAddress()).getPort();
        long sum = clients(connections, count, (from, n) -> ask(port, from, n));
        selecting.join();
        return sum;
    }

    // A child process sends back what it gets.
    static long child(int count) throws Exception {
        Process p = new ProcessBuilder("cat").start();
        long sum = 0;
        try (DataInputStream in = new DataInputStream(p.getInputStream()); DataOutputStream out = new DataOutputStream(p.getOutputStream())) {
            for (int i = 0; i < count; i++) {
                out.writeInt(i);
                out.flush();
                sum += use(answer(in.readInt()));
            }
        }
        return sum + p.waitFor();
    }

    public static void main(String[] args) throws Exception {
        int count = Integer.parseInt(args[1]);
        size = Integer.parseInt(args[2]);
        switch (args[0]) {
            case "loop": System.out.println(sockets(1, 1, count)); break;
            case "threads": System.out.println(sockets(8, 4, count)); break;
            case "selector": System.out.println(selector(4, count)); break;
            default: System.out.println(child(count));
        }
    }
}
