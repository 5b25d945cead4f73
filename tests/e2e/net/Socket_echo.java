// TCP on the loopback interface: echo with several clients, timeouts, half close, refused connections.
import java.io.*;
import java.net.*;
import java.util.*;

public class Socket_echo {
    /** Waits for the thread to enter a native method of that name; with a timeout set, accept calls poll. */
    static void awaitNative(Thread t, String method) throws InterruptedException {
        for (; ; Thread.sleep(1)) {
            StackTraceElement[] stack = t.getStackTrace();
            if (stack.length > 0 && stack[0].isNativeMethod() && stack[0].getMethodName().matches(method)) return;
        }
    }

    public static void main(String[] args) throws Exception {
        InetAddress lo = InetAddress.getByAddress(new byte[]{127, 0, 0, 1});
        try (ServerSocket ss = new ServerSocket(0, 10, lo)) {
            int port = ss.getLocalPort();
            Thread server = new Thread(() -> {
                try {
                    for (int i = 0; i < 3; i++) {
                        Socket s = ss.accept();
                        new Thread(() -> {
                            try (s; BufferedReader r = new BufferedReader(new InputStreamReader(s.getInputStream())); PrintWriter w = new PrintWriter(s.getOutputStream(), true)) {
                                for (String l; (l = r.readLine()) != null; ) w.println("echo:" + l);
                                w.println("bye");
                            } catch (IOException e) {
                                System.out.println("server " + e);
                            }
                        }).start();
                    }
                } catch (IOException e) {
                    System.out.println("accept " + e);
                }
            });
            server.start();
            List<String> out = Collections.synchronizedList(new ArrayList<>());
            Thread[] cs = new Thread[3];
            for (int c = 0; c < 3; c++) {
                int k = c;
                cs[c] = new Thread(() -> {
                    try (Socket s = new Socket(lo, port)) {
                        PrintWriter w = new PrintWriter(s.getOutputStream(), true);
                        BufferedReader r = new BufferedReader(new InputStreamReader(s.getInputStream()));
                        StringBuilder b = new StringBuilder();
                        for (int i = 0; i < 5; i++) { w.println("c" + k + "-" + i); b.append(r.readLine()).append(' '); }
                        s.shutdownOutput();
                        b.append(r.readLine()).append(r.readLine());
                        out.add(b.toString());
                    } catch (IOException e) {
                        out.add(e.toString());
                    }
                });
                cs[c].start();
            }
            for (Thread c : cs) c.join();
            server.join();
            Collections.sort(out);
            for (String s : out) System.out.println(s);
            ss.setSoTimeout(20);
            try {
                ss.accept();
            } catch (SocketTimeoutException e) {
                System.out.println(e.getMessage());
            }
            ss.setSoTimeout(0);
            Socket c = new Socket(lo, port), s = ss.accept();
            c.setTcpNoDelay(true);
            c.setSoTimeout(20);
            System.out.println(c.isConnected() + " " + c.getInetAddress() + " " + (c.getPort() == port) + " " + (s.getPort() == c.getLocalPort()) + " " + c.getTcpNoDelay() + " " + c.getSoTimeout() + " " + c.getKeepAlive());
            try {
                c.getInputStream().read();
            } catch (SocketTimeoutException e) {
                System.out.println(e.getMessage());
            }
            byte[] big = new byte[100_000];
            for (int i = 0; i < big.length; i++) big[i] = (byte) i;
            Thread w = new Thread(() -> { try (OutputStream o = s.getOutputStream()) { o.write(big); } catch (IOException e) { System.out.println(e); } });
            w.start();
            c.setSoTimeout(0);
            System.out.println(Arrays.equals(c.getInputStream().readAllBytes(), big) + " " + c.isClosed());
            w.join();
            c.close();
            try {
                c.getInputStream();
            } catch (SocketException e) {
                System.out.println(e.getMessage());
            }
            Thread main = Thread.currentThread();
            Thread closer = new Thread(() -> { try { awaitNative(main, "accept|poll"); ss.close(); } catch (Exception e) { System.out.println(e); } });
            closer.start();
            try {
                ss.accept();
            } catch (SocketException e) {
                System.out.println(e.getMessage());
            }
            closer.join();
            try {
                new Socket(lo, port);
            } catch (ConnectException e) {
                System.out.println(e.getMessage());
            }
        }
    }
}
