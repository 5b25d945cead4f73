import java.lang.reflect.Array;
import java.util.ArrayList;
import java.util.List;
import java.util.zip.Deflater;

/** Objects allocated by instructions, by native code and by the VM. tests/run/events.py has the expected counts. */
public class Allocations implements Cloneable {
    static Object kept;
    int[] gone;

    static void instructions(int n) {
        for (int i = 0; i < n; i++) {
            kept = new Allocations();
            kept = new byte[i * 10];
            kept = new String[i][3];
            kept = new long[20000];
        }
    }

    /** Two objects; one of them is an array. */
    static void clones(int n) throws CloneNotSupportedException {
        Allocations a = new Allocations();
        int[] b = new int[5];
        for (int i = 0; i < n; i++) {
            kept = a.clone();
            kept = b.clone();
        }
    }

    /** One array, and a nested array of four arrays. */
    static void arrays(int n) {
        for (int i = 0; i < n; i++) {
            kept = Array.newInstance(long.class, 7);
            kept = Array.newInstance(int.class, 3, 2);
        }
    }

    static void reflection(int n) throws Exception {
        for (int i = 0; i < n; i++) {
            kept = Allocations.class.getDeclaredConstructor().newInstance();
            kept = Allocations.class.getDeclaredMethods();
            kept = ("interned " + i).intern();
        }
    }

    /** Exceptions that the VM throws. */
    static int thrown(int n) {
        int caught = 0;
        Object[] strings = new String[1];
        Allocations a = null;
        for (int i = 0; i < n; i++) {
            try { strings[i & 1] = "x"; strings[0] = 1; } catch (ArrayStoreException | ArrayIndexOutOfBoundsException e) { caught++; }
            try { a.gone = null; } catch (NullPointerException e) { caught += e.getMessage().length() > 0 ? 1 : 0; }
            try { caught += 1 / (i & 0); } catch (ArithmeticException e) { caught += e.getStackTrace().length > 0 ? 1 : 0; }
            try { kept = (String) (Object) strings; } catch (ClassCastException e) { caught++; }
        }
        return caught;
    }

    static int depth(int n) { return depth(n + 1) + 1; }

    /** Runs out of stack, and out of memory while allocating an array of arrays. */
    static int limits() {
        int caught = 0;
        try { depth(0); } catch (StackOverflowError e) { caught++; }
        try { kept = new byte[1000][10000000]; } catch (OutOfMemoryError e) { caught++; }
        kept = null;
        try { kept = new byte[Integer.MAX_VALUE]; } catch (OutOfMemoryError e) { caught++; }
        return caught;
    }

    static void library(int n) throws Exception {
        List<Thread> threads = new ArrayList<>();
        for (int i = 0; i < n; i++) {
            int k = i;
            Thread t = new Thread(() -> kept = new int[k]);
            t.start();
            threads.add(t);
            Deflater d = new Deflater();
            d.setInput(new byte[1000]);
            d.finish();
            d.deflate(new byte[2000]);
            d.end();
            kept = new java.io.File("/").list();
            kept = java.nio.file.Files.list(java.nio.file.Path.of("/")).toArray();
        }
        for (Thread t : threads) t.join();
        System.gc();
    }

    public static void main(String[] args) throws Exception {
        int n = Integer.parseInt(args[0]);
        instructions(n);
        clones(n);
        arrays(n);
        reflection(n);
        int caught = thrown(n) + limits();
        library(5);
        System.out.println(caught);
    }
}
