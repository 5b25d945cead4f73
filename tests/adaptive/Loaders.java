import java.io.InputStream;

// Threads that call classes of many loaders at one call site, each loader for a while.
public class Loaders {
    public interface Step { int step(int n); }
    public static class One implements Step {
        public int step(int n) { return n + 1; }
    }

    static class Own extends ClassLoader {
        @Override protected Class<?> loadClass(String name, boolean resolve) throws ClassNotFoundException {
            if (!name.equals("Loaders$One")) return super.loadClass(name, resolve);
            try (InputStream in = Loaders.class.getResourceAsStream("Loaders$One.class")) {
                byte[] bytes = in.readAllBytes();
                return defineClass(name, bytes, 0, bytes.length);
            } catch (java.io.IOException e) {
                throw new ClassNotFoundException(name, e);
            }
        }
    }

    static final int THREADS = 8, LOADERS = 30, STEPS = 1000;

    static int walk(Step s) {
        int n = 0;
        for (int i = 0; i < STEPS; i++) n = s.step(n);
        return n;
    }

    static int work() throws Exception {
        int sum = 0;
        for (int i = 0; i < LOADERS; i++) {
            sum += walk((Step) new Own().loadClass("Loaders$One").getDeclaredConstructor().newInstance());
            if (i % 10 == 9) System.gc();
        }
        return sum;
    }

    public static void main(String[] args) throws Exception {
        int[] sums = new int[THREADS];
        Thread[] threads = new Thread[THREADS];
        for (int i = 0; i < THREADS; i++) {
            int n = i;
            threads[i] = new Thread(() -> {
                try {
                    sums[n] = work();
                } catch (Exception e) {
                    e.printStackTrace();
                }
            });
            threads[i].start();
        }
        int total = 0;
        for (int i = 0; i < THREADS; i++) {
            threads[i].join();
            total += sums[i];
        }
        System.out.println(THREADS + " threads, " + THREADS * LOADERS + " loaders: " + total);
    }
}
