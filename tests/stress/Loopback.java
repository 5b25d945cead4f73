import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicLong;

/** Loopback CONNECTIONS ROUNDS: a thread at each end of each connection, all with blocking I/O. */
public class Loopback {
    static final AtomicLong echoed = new AtomicLong();

    static void serve(Socket s) {
        try (s; DataInputStream in = new DataInputStream(s.getInputStream());
                DataOutputStream out = new DataOutputStream(s.getOutputStream())) {
            for (int n; (n = in.readInt()) >= 0;) {
                echoed.incrementAndGet();
                out.writeInt(n + 1);
            }
        } catch (IOException e) {
            e.printStackTrace();
            System.exit(1);
        }
    }

    public static void main(String[] args) throws Exception {
        int connections = Integer.parseInt(args[0]), rounds = Integer.parseInt(args[1]);
        CountDownLatch connected = new CountDownLatch(connections), done = new CountDownLatch(connections);
        try (ServerSocket server = new ServerSocket(0, 1000, InetAddress.getLoopbackAddress())) {
            Thread acceptor = new Thread(() -> {
                try {
                    for (;;) {
                        Socket s = server.accept();
                        new Thread(() -> serve(s)).start();
                    }
                } catch (IOException closed) {
                    return;
                }
            });
            acceptor.start();
            long began = System.nanoTime();
            for (int i = 0; i < connections; i++) {
                new Thread(() -> {
                    try (Socket s = new Socket(server.getInetAddress(), server.getLocalPort())) {
                        DataInputStream in = new DataInputStream(s.getInputStream());
                        DataOutputStream out = new DataOutputStream(s.getOutputStream());
                        connected.countDown();
                        connected.await();
                        for (int n = 0; n < rounds; n++) {
                            out.writeInt(n);
                            if (in.readInt() != n + 1) throw new AssertionError();
                        }
                        out.writeInt(-1);
                        done.countDown();
                    } catch (Throwable e) {
                        e.printStackTrace();
                        System.exit(1);
                    }
                }).start();
            }
            done.await();
            System.out.println(connections + " connections, " + echoed + " echoes, "
                    + (System.nanoTime() - began) / 1000000 + " ms");
            server.close();
            acceptor.join();
        }
        if (echoed.get() != (long) connections * rounds) throw new AssertionError();
    }
}
