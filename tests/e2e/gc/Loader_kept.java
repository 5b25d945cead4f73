// One instance or class keeps its loader, the other classes and their statics alive through any number of collections.
import java.lang.ref.*;
import java.util.*;

public class Loader_kept {
    static List<WeakReference<ClassLoader>> make(int n, List<Object> keep) throws Exception {
        List<WeakReference<ClassLoader>> refs = new ArrayList<>();
        for (int i = 0; i < n; i++) {
            Class_writer w = Class_writer.plain("un/Loaded");
            w.addConstructor().addField(9, "data", "[I");
            Class_writer.Loader l = new Class_writer.Loader(w);
            Class<?> c = l.loadClass("un.Loaded");
            c.getField("data").set(null, new int[1000]);
            Object o = c.getConstructor().newInstance();
            if (i % 10 == 0) keep.add(i % 20 == 0 ? o : c);
            refs.add(new WeakReference<>(l));
        }
        return refs;
    }
    static void stir(int n) { long a = n, b = n + 1, c = n + 2; if (n > 0) stir(n - 1); }

    public static void main(String[] args) throws Exception {
        List<Object> keep = new ArrayList<>();
        List<WeakReference<ClassLoader>> refs = make(40, keep);
        for (int i = 0; i < 10; i++) {
            stir(60);
            System.gc();
        }
        boolean kept = true;
        for (int i = 0; i < refs.size(); i += 10) kept &= refs.get(i).get() != null;
        System.out.println(kept + " " + keep.size());
        for (Object o : keep) if (((int[]) (o instanceof Class<?> c ? c : o.getClass()).getField("data").get(null)).length != 1000) System.out.println("lost data");
    }
}
