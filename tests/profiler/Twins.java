// For tests/run/profiles.py: one class in two loaders. The first loader's work is called once, the second's ten times.
import java.net.URL;
import java.net.URLClassLoader;

public class Twins {
    public static class Worker implements Runnable {
        public void run() { }
    }

    static void use(String name, int times) throws Exception {
        URL[] path = {Twins.class.getProtectionDomain().getCodeSource().getLocation()};
        Class<?> c = new URLClassLoader(name, path, ClassLoader.getPlatformClassLoader()).loadClass("Twins$Worker");
        Runnable worker = (Runnable) c.getConstructor().newInstance();
        for (int i = 0; i < times; i++) worker.run();
    }

    public static void main(String[] args) throws Exception {
        use(null, 1);
        use("second.one", 10);
    }
}
