import java.io.InputStream;
import java.net.DatagramPacket;
import java.net.DatagramSocket;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;

// Much input, from several kinds of streams at once. Arguments: megabytes through a socket, datagrams. Prints sums of
// what was received, and of the standard input.
public class Bulk {
    static long digest(long sum, byte[] data, int n) {
        for (int i = 0; i < n; i++) sum = sum * 31 + data[i];
        return sum;
    }

    static long all(InputStream in) throws Exception {
        byte[] data = new byte[1 << 16];
        long sum = 0;
        for (int n; (n = in.read(data)) >= 0;) sum = digest(sum, data, n);
        return sum;
    }

    static void send(int port, int megabytes) {
        try (Socket s = new Socket(InetAddress.getLoopbackAddress(), port)) {
            byte[] data = new byte[1 << 20];
            for (int i = 0; i < megabytes; i++) {
                for (int j = 0; j < 1000; j++) data[j * 1000] = (byte)(i + j);
                s.getOutputStream().write(data);
            }
        } catch (Exception e) {
            System.out.println(e);
        }
    }

    // Each datagram is answered, so none is lost.
    static long datagrams(int count) throws Exception {
        try (DatagramSocket a = new DatagramSocket(0, InetAddress.getLoopbackAddress()); DatagramSocket b = new DatagramSocket(0, InetAddress.getLoopbackAddress())) {
            byte[] data = new byte[600];
            long sum = 0;
            for (int i = 0; i < count; i++) {
                data[i % 600]++;
                a.send(new DatagramPacket(data, 600, b.getLocalSocketAddress()));
                DatagramPacket p = new DatagramPacket(new byte[1000], 1000);
                b.receive(p);
                sum = digest(sum, p.getData(), p.getLength());
                if (p.getPort() != a.getLocalPort()) throw new AssertionError("from " + p.getSocketAddress());
            }
            return sum;
        }
    }

    public static void main(String[] args) throws Exception {
        ServerSocket server = new ServerSocket(0, 1, InetAddress.getLoopbackAddress());
        new Thread(() -> send(server.getLocalPort(), Integer.parseInt(args[0]))).start();
        long[] sums = new long[2];
        Thread t = new Thread(() -> {
            try {
                sums[0] = datagrams(Integer.parseInt(args[1]));
            } catch (Exception e) {
                System.out.println(e);
            }
        });
        t.start();
        try (Socket s = server.accept()) {
            sums[1] = all(s.getInputStream());
        }
        t.join();
        System.out.println(sums[0] + " " + sums[1] + " " + all(System.in));
    }
}
