// For tests/run/profiles.py: one class in twelve loaders. The first loader's work is called once, the second's twice and
// so on. With "collect" each loader is unloaded before the next is created; with "keep" all remain.
import java.util.ArrayList;
import java.util.List;

public class Unloaded {
    public static class Plug implements Runnable {
        static int calls;
        int[] last = new int[1];

        public void run() {
            synchronized (this) {
                if (calls++ % 2 == 0) last[0] = calls;
            }
        }
    }

    static class Own extends ClassLoader {
        Own() { super(null); }

        Class<?> define(byte[] bytes) { return defineClass(null, bytes, 0, bytes.length); }
    }

    public static void main(String[] args) throws Exception {
        byte[] bytes = Unloaded.class.getResourceAsStream("Unloaded$Plug.class").readAllBytes();
        List<Object> kept = new ArrayList<>();
        for (int i = 1; i <= 12; i++) {
            Runnable plug = (Runnable) new Own().define(bytes).getDeclaredConstructor().newInstance();
            for (int k = 0; k < i; k++) plug.run();
            if (args[0].equals("keep")) kept.add(plug);
            plug = null;
            if (args[0].equals("collect")) System.gc();
        }
        System.gc();
        System.out.println(kept.size());
    }
}
