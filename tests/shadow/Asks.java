import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;

// Queries a server repeatedly, with work between answers. Arguments: duration in ms, ms of work for each answer.
public class Asks {
    static volatile long sink;

    static int before(int i) { return i * 31 + 7; }
    static int behind(int i) { return i * 17 + 3; }

    static void server(ServerSocket socket) {
        try (Socket s = socket.accept(); InputStream in = s.getInputStream(); OutputStream out = s.getOutputStream()) {
            for (int c; (c = in.read()) >= 0;) out.write(c);
        } catch (java.io.IOException e) {
            System.out.println(e);
        }
    }

    public static void main(String[] args) throws Exception {
        long end = System.nanoTime() + Long.parseLong(args[0]) * 1_000_000;
        ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress());
        Thread t = new Thread(() -> server(socket));
        t.start();
        try (Socket s = new Socket(socket.getInetAddress(), socket.getLocalPort()); InputStream in = s.getInputStream(); OutputStream out = s.getOutputStream()) {
            for (long n = 0; System.nanoTime() < end; n++) {
                for (long next = System.nanoTime() + Long.parseLong(args[1]) * 1_000_000; System.nanoTime() < next;) for (int i = 0; i < 100; i++) sink += before(i);
                out.write((int)n & 127);
                if (in.read() != (n & 127)) throw new AssertionError();
                for (int i = 0; i < 200; i++) sink += behind(i);
            }
        }
        t.join();
        System.out.println("over");
    }
}
