// Classes with template code are loaded and unloaded: Unload CLASSES SEQUENCES FIRST COUNT. In each round a new loader
// defines the classes of both directories, and the sequences must compute the first round's results, while a thread
// runs those of the previous loader.
import java.io.IOException;
import java.lang.ref.WeakReference;
import java.lang.reflect.Method;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

public class Unload {
    // Defines all classes itself, except those of the class library.
    static class Loader extends ClassLoader {
        final String[] directories;
        Loader(String... directories) { this.directories = directories; }
        @Override protected Class<?> loadClass(String name, boolean resolve) throws ClassNotFoundException {
            Class<?> c = findLoadedClass(name);
            if (c != null) return c;
            for (String d : directories) {
                Path file = Path.of(d, name + ".class");
                if (!Files.exists(file)) continue;
                try {
                    byte[] bytes = Files.readAllBytes(file);
                    return defineClass(name, bytes, 0, bytes.length);
                } catch (IOException e) {
                    throw new ClassNotFoundException(name, e);
                }
            }
            return super.loadClass(name, resolve);
        }
    }

    static Method load(String[] args, List<WeakReference<ClassLoader>> loaders) throws Exception {
        Loader loader = new Loader(args[0], args[1]);
        loaders.add(new WeakReference<>(loader));
        return loader.loadClass("Run").getMethod("hash", int.class, int.class, int.class);
    }

    static long run(Method hash, int first, int count) throws Exception { return (long)hash.invoke(null, first, count, 200); }

    public static void main(String[] args) throws Exception {
        int first = Integer.parseInt(args[2]), count = Integer.parseInt(args[3]), rounds = 30;
        List<WeakReference<ClassLoader>> loaders = new ArrayList<>();
        long want = run(load(args, loaders), first, count);
        Thread before = null;
        for (int n = 0; n < rounds; n++) {
            Method hash = load(args, loaders);
            long got = run(hash, first, count);
            if (got != want) System.out.println("round " + n + ": " + got + ", not " + want);
            if (before != null) before.join();
            before = new Thread(() -> {
                try {
                    if (run(hash, first, count) != want) System.out.println("differs in a thread");
                } catch (Exception e) {
                    throw new IllegalStateException(e);
                }
            });
            before.start();
            if (n % 3 == 0) System.gc();
        }
        before.join();
        int gone = 0;
        for (int k = 0; k < 5 && gone < rounds / 2; k++) {
            System.gc();
            gone = 0;
            for (WeakReference<ClassLoader> l : loaders) gone += l.get() == null ? 1 : 0;
        }
        System.out.println("unloaded " + (gone >= rounds / 2) + ", hash " + want);
    }
}
