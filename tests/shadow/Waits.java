import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.SocketTimeoutException;

// A thread waits for connections that never arrive, 20 ms each time, while another computes. Argument: number of waits.
public class Waits {
    static volatile int waited;

    public static void main(String[] args) throws Exception {
        int rounds = Integer.parseInt(args[0]);
        ServerSocket server = new ServerSocket(0, 1, InetAddress.getLoopbackAddress());
        server.setSoTimeout(20);
        Thread t = new Thread(() -> {
            try {
                while (waited < rounds) {
                    try {
                        server.accept();
                    } catch (SocketTimeoutException e) {
                        waited++;
                    }
                }
            } catch (IOException e) {
                System.out.println(e);
            }
        });
        t.start();
        long sum = 0;
        while (waited < rounds) for (int i = 0; i < 1000; i++) sum += i ^ sum << 1;
        t.join();
        System.out.println("waited " + waited + " " + (sum != 0));
    }
}
