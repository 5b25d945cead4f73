// Selectors: wakeups, cancelled keys, interest changes, pipes, closing during select, several ready at once.
import java.nio.*;
import java.nio.channels.*;
import java.util.*;

public class Selector_wakeups {
    static volatile int selects;

    /** Waits until the thread is blocked in its select with that number. */
    static void awaitSelect(Thread t, int number) throws InterruptedException {
        for (; ; Thread.sleep(1)) {
            if (selects != number) continue;  // read before the stack, which may otherwise be the previous select's
            StackTraceElement[] stack = t.getStackTrace();
            if (stack.length > 0 && stack[0].isNativeMethod() && stack[0].getMethodName().equals("wait")) return;
        }
    }

    public static void main(String[] args) throws Exception {
        Selector s = Selector.open();
        System.out.println(s.selectNow() + " " + s.select(5) + " " + s.keys().size());
        s.wakeup();
        System.out.println(s.select());
        Pipe p = Pipe.open(), q = Pipe.open();
        p.source().configureBlocking(false);
        q.source().configureBlocking(false);
        p.sink().configureBlocking(false);
        SelectionKey kp = p.source().register(s, SelectionKey.OP_READ, "p"), kq = q.source().register(s, SelectionKey.OP_READ, "q"), kw = p.sink().register(s, SelectionKey.OP_WRITE, "w");
        System.out.println(s.select() + " " + s.selectedKeys().iterator().next().attachment() + " " + kw.isWritable() + " " + kp.isReadable());
        s.selectedKeys().clear();
        kw.interestOps(0);
        System.out.println(s.selectNow());
        p.sink().write(ByteBuffer.wrap(new byte[]{1, 2}));
        q.sink().write(ByteBuffer.wrap(new byte[]{3}));
        Set<Object> ready = new TreeSet<>();
        while (ready.size() < 2) { s.select(); for (SelectionKey k : s.selectedKeys()) ready.add(k.attachment()); }
        System.out.println(ready + " " + s.select(1) + " " + s.selectedKeys().size());
        s.selectedKeys().clear();
        kq.cancel();
        System.out.println(kq.isValid() + " " + s.select() + " " + s.keys().size() + " " + q.source().isRegistered());
        try { kq.interestOps(); } catch (CancelledKeyException e) { System.out.println("cancelled"); }
        ByteBuffer b = ByteBuffer.allocate(10);
        System.out.println(p.source().read(b) + " " + p.source().read(b));
        s.selectedKeys().clear();
        int[] hits = {0};
        p.sink().write(ByteBuffer.wrap(new byte[]{9}));
        System.out.println(s.select(k -> { hits[0]++; try { p.source().read(ByteBuffer.allocate(5)); } catch (java.io.IOException e) { } }) + " " + hits[0] + " " + s.selectedKeys().size());
        Thread t = new Thread(() -> { try { selects = 1; System.out.println("select " + s.select() + " " + Thread.currentThread().isInterrupted() + " " + s.isOpen()); Thread.interrupted(); selects = 2; s.select(); System.out.println("woken by close"); } catch (ClosedSelectorException e) { System.out.println("closed selector"); } catch (Exception e) { System.out.println(e); } });
        t.start();
        awaitSelect(t, 1);
        t.interrupt();
        awaitSelect(t, 2);
        s.close();
        t.join();
        System.out.println(kp.isValid() + " " + p.source().isRegistered() + " " + p.source().isOpen());
        for (Runnable r : new Runnable[]{() -> { try { s.select(); } catch (java.io.IOException e) { } }, () -> s.keys(), () -> s.wakeup()}) try { r.run(); System.out.println("fine"); } catch (ClosedSelectorException e) { System.out.println("closed"); }
        Selector two = Selector.open();
        Pipe x = Pipe.open();
        try { x.source().register(two, SelectionKey.OP_READ); } catch (IllegalBlockingModeException e) { System.out.println("blocking"); }
        x.source().configureBlocking(false);
        try { x.source().register(two, SelectionKey.OP_WRITE); } catch (IllegalArgumentException e) { System.out.println("no such operation"); }
        SelectionKey k = x.source().register(two, SelectionKey.OP_READ);
        try { x.source().configureBlocking(true); } catch (IllegalBlockingModeException e) { System.out.println("registered"); }
        x.sink().close();
        System.out.println(two.select() + " " + k.isReadable() + " " + x.source().read(b));
        x.source().close();
        System.out.println(k.isValid() + " " + two.selectNow() + " " + two.keys().size() + " " + k.attach("z") + k.attachment());
    }
}
