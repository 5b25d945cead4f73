// An initialiser fails while threads wait for it: one ExceptionInInitializerError, else NoClassDefFoundError.
import java.util.*;
import java.util.concurrent.*;

public class Init_failureShared {
    static final CountDownLatch entered = new CountDownLatch(1), go = new CountDownLatch(1);
    static class Bad {
        static int v;
        static {
            entered.countDown();
            try { go.await(); } catch (InterruptedException e) { throw new Error(e); }
            if (true) throw new IllegalStateException("bad luck");
        }
    }
    static class Throws { static { if (true) throw new OutOfMemoryError("made up"); } static void m() { } }
    static class Checked { static { sneaky(new java.io.IOException("checked")); } static void m() { } }
    @SuppressWarnings("unchecked") static <T extends Throwable> void sneaky(Throwable t) throws T { throw (T) t; }

    public static void main(String[] args) throws Exception {
        List<String> seen = Collections.synchronizedList(new ArrayList<>());
        List<Thread> all = new ArrayList<>();
        Runnable touch = () -> {
            try {
                Bad.v++;
                seen.add("no error");
            } catch (Throwable e) {
                seen.add(e.getClass().getSimpleName() + " " + e.getMessage() + " / " + (e.getCause() == null ? null : e.getCause().getClass().getSimpleName()));
            }
        };
        for (int i = 0; i < 5; i++) {
            Thread t = new Thread(touch);
            all.add(t);
            t.start();
            if (i == 0) entered.await();
        }
        Thread.sleep(20);
        go.countDown();
        for (Thread t : all) t.join();
        Collections.sort(seen);
        seen.forEach(System.out::println);
        for (int i = 0; i < 2; i++) {
            for (Runnable r : new Runnable[]{() -> Throws.m(), () -> Checked.m()}) {
                try {
                    r.run();
                } catch (Throwable e) {
                    System.out.println(e + " / " + e.getCause());
                }
            }
        }
    }
}
