// UDP on the loopback interface: send, receive, truncation, timeouts, connected sockets, channels.
import java.net.*;
import java.nio.ByteBuffer;
import java.nio.channels.DatagramChannel;

public class Datagram_exchange {
    public static void main(String[] args) throws Exception {
        InetAddress lo = InetAddress.getByAddress(new byte[]{127, 0, 0, 1});
        try (DatagramSocket a = new DatagramSocket(0, lo); DatagramSocket b = new DatagramSocket(0, lo)) {
            byte[] m = "datagram one".getBytes();
            a.send(new DatagramPacket(m, m.length, lo, b.getLocalPort()));
            DatagramPacket p = new DatagramPacket(new byte[100], 100);
            b.receive(p);
            System.out.println(new String(p.getData(), 0, p.getLength()) + " " + (p.getPort() == a.getLocalPort()) + " " + p.getAddress());
            p.setData("reply".getBytes());
            b.send(p);
            DatagramPacket q = new DatagramPacket(new byte[3], 3);
            a.receive(q);
            System.out.println(new String(q.getData()) + " " + q.getLength());
            a.setSoTimeout(15);
            try {
                a.receive(q);
            } catch (SocketTimeoutException e) {
                System.out.println(e.getMessage());
            }
            a.connect(lo, b.getLocalPort());
            System.out.println(a.isConnected() + " " + a.getRemoteSocketAddress().equals(b.getLocalSocketAddress()));
            for (int i = 0; i < 20; i++) a.send(new DatagramPacket(new byte[]{(byte) i}, 1));
            int sum = 0;
            for (int i = 0; i < 20; i++) { b.receive(p = new DatagramPacket(new byte[4], 4)); sum += p.getData()[0]; }
            System.out.println(sum);
        }
        try (DatagramChannel c = DatagramChannel.open().bind(new InetSocketAddress(lo, 0)); DatagramChannel d = DatagramChannel.open().bind(new InetSocketAddress(lo, 0))) {
            System.out.println(c.send(ByteBuffer.wrap("channel".getBytes()), d.getLocalAddress()));
            ByteBuffer r = ByteBuffer.allocate(20);
            SocketAddress from = d.receive(r);
            System.out.println(from.equals(c.getLocalAddress()) + " " + r.position());
            d.configureBlocking(false);
            System.out.println(d.receive(r));
        }
    }
}
