import java.io.InputStream;
import java.util.ArrayList;
import java.util.List;

// Loaders that define classes, run them until they are compiled, and become garbage.
public class Loaders {
    public static int[] field = new int[1];

    public static class Worked implements Runnable {
        int sum;

        int step(int i) {
            if ((i & 1) == 0) sum += i;
            else sum ^= i;
            return sum;
        }

        public void run() {
            for (int i = 0; i < 3000; i++) step(i);
        }
    }

    static class Own extends ClassLoader {
        Own() { super(null); }

        @Override protected Class<?> findClass(String name) throws ClassNotFoundException {
            try (InputStream in = Loaders.class.getResourceAsStream("/" + name.replace('.', '/') + ".class")) {
                byte[] bytes = in.readAllBytes();
                return defineClass(name, bytes, 0, bytes.length);
            } catch (Exception e) {
                throw new ClassNotFoundException(name, e);
            }
        }
    }

    public static void main(String[] args) throws Exception {
        for (int round = 0; round < 6; round++) {
            List<Thread> threads = new ArrayList<>();
            for (int i = 0; i < 4; i++) {
                Runnable r = (Runnable) new Own().loadClass("Loaders$Worked").getDeclaredConstructor().newInstance();
                Thread t = new Thread(r);
                t.start();
                threads.add(t);
            }
            for (Thread t : threads) t.join();
            System.gc();
        }
    }
}
