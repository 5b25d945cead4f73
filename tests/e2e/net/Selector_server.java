// NIO selector: non-blocking accept, read, write, several clients, wakeup, cancelled keys.
import java.net.*;
import java.nio.ByteBuffer;
import java.nio.channels.*;
import java.util.*;

public class Selector_server {
    public static void main(String[] args) throws Exception {
        InetAddress lo = InetAddress.getByAddress(new byte[]{127, 0, 0, 1});
        Selector sel = Selector.open();
        ServerSocketChannel ssc = ServerSocketChannel.open().bind(new InetSocketAddress(lo, 0));
        ssc.configureBlocking(false);
        ssc.register(sel, SelectionKey.OP_ACCEPT);
        int port = ((InetSocketAddress) ssc.getLocalAddress()).getPort();
        int clients = 4;
        Thread server = new Thread(() -> {
            try {
                int closed = 0;
                while (closed < clients) {
                    sel.select();
                    for (Iterator<SelectionKey> it = sel.selectedKeys().iterator(); it.hasNext(); ) {
                        SelectionKey k = it.next();
                        it.remove();
                        if (k.isAcceptable()) {
                            SocketChannel c = ssc.accept();
                            c.configureBlocking(false);
                            c.register(sel, SelectionKey.OP_READ, ByteBuffer.allocate(256));
                        } else if (k.isReadable()) {
                            SocketChannel c = (SocketChannel) k.channel();
                            ByteBuffer b = (ByteBuffer) k.attachment();
                            int n = c.read(b);
                            if (n < 0) { c.close(); closed++; continue; }
                            b.flip();
                            for (int i = 0; i < b.limit(); i++) b.put(i, (byte) Character.toUpperCase(b.get(i)));
                            k.interestOps(SelectionKey.OP_WRITE);
                        } else if (k.isWritable()) {
                            ByteBuffer b = (ByteBuffer) k.attachment();
                            ((SocketChannel) k.channel()).write(b);
                            if (!b.hasRemaining()) { b.clear(); k.interestOps(SelectionKey.OP_READ); }
                        }
                    }
                }
            } catch (Exception e) {
                e.printStackTrace();
            }
        });
        server.start();
        SocketChannel[] cs = new SocketChannel[clients];
        for (int i = 0; i < clients; i++) cs[i] = SocketChannel.open(new InetSocketAddress(lo, port));
        for (int round = 0; round < 3; round++) {
            for (int i = 0; i < clients; i++) cs[i].write(ByteBuffer.wrap(("client" + i + "r" + round).getBytes()));
            StringBuilder s = new StringBuilder();
            for (int i = 0; i < clients; i++) {
                ByteBuffer b = ByteBuffer.allocate(9);
                while (b.hasRemaining()) cs[i].read(b);
                s.append(new String(b.array())).append(' ');
            }
            System.out.println(s);
        }
        for (SocketChannel c : cs) c.close();
        server.join();
        System.out.println(sel.selectNow() + " " + sel.keys().size());
        Thread waker = new Thread(() -> { try { Thread.sleep(20); } catch (InterruptedException e) { } sel.wakeup(); });
        waker.start();
        System.out.println(sel.select() + " woken");
        waker.join();
        System.out.println(sel.select(5));
        Thread t = Thread.currentThread();
        t.interrupt();
        System.out.println(sel.select() + " " + Thread.interrupted());
        sel.close();
        try {
            sel.select();
        } catch (ClosedSelectorException e) {
            System.out.println("closed");
        }
        ssc.close();
        SocketChannel none = SocketChannel.open();
        try {
            none.read(ByteBuffer.allocate(1));
        } catch (NotYetConnectedException e) {
            System.out.println("not connected");
        }
        none.close();
    }
}
