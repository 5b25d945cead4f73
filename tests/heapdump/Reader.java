import java.io.File;
import java.util.Collection;
import java.util.TreeSet;
import org.graalvm.visualvm.lib.jfluid.heap.*;

/** Prints what VisualVM's reader of heap dumps finds of tests/heapdump/Graph.java, for tests/run/heapdump.py. */
public class Reader {
    static String name(Instance thread) {
        Instance name = (Instance) thread.getValueOfField("name");
        StringBuilder text = new StringBuilder();
        byte coder = (Byte) name.getValueOfField("coder");
        if (coder != 0) return "?";
        for (Object b : ((PrimitiveArrayInstance) name.getValueOfField("value")).getValues()) text.append((char) Integer.parseInt((String) b));
        return text.toString();
    }

    static String path(Instance at) {
        StringBuilder text = new StringBuilder();
        for (int steps = 0; at != null && steps < 5; steps++, at = at.getNearestGCRootPointer()) {
            text.append(' ').append(at.getJavaClass().getName());
            if (at.isGCRoot()) return text + " (root)";
        }
        return text.toString();
    }

    public static void main(String[] args) throws Exception {
        Heap heap = HeapFactory.createHeap(new File(args[0]));
        HeapSummary summary = heap.getSummary();
        System.out.println("objects " + summary.getTotalLiveInstances());
        long objects = 0;
        for (JavaClass c : heap.getAllClasses()) {
            objects += c.getInstancesCount();
            if (!c.getName().startsWith("dump.")) continue;
            System.out.println("class " + c.getName() + " " + c.getInstancesCount());
            for (FieldValue v : c.getStaticFieldValues())
                if (!(v instanceof ObjectFieldValue)) System.out.println("static " + c.getName() + "." + v.getField().getName() + " " + v.getValue());
            for (Instance o : c.getInstances()) {
                if (c.getInstancesCount() > 1) break;
                System.out.println("path" + path(o));
                for (FieldValue v : o.getFieldValues())
                    if (!(v instanceof ObjectFieldValue)) System.out.println("field " + c.getName() + "." + v.getField().getName() + " " + v.getValue());
            }
        }
        System.out.println("objects of classes " + objects);
        TreeSet<String> lines = new TreeSet<>();
        for (GCRoot root : (Collection<GCRoot>) heap.getGCRoots()) {
            Instance o = root.getInstance();
            if (o == null) throw new AssertionError("a root of kind " + root.getKind() + " is no object");
            if (o.getJavaClass().getName().startsWith("dump.")) lines.add("root " + root.getKind() + " " + o.getJavaClass().getName());
            if (!(root instanceof ThreadObjectGCRoot)) continue;
            StringBuilder frames = new StringBuilder();
            for (StackTraceElement e : ((ThreadObjectGCRoot) root).getStackTrace())
                if (e.getClassName().startsWith("dump.")) frames.append(' ').append(e.getMethodName());
            if (frames.length() > 0) lines.add("thread " + name(o) + ":" + frames);
        }
        lines.forEach(System.out::println);
        System.out.println("retained " + heap.getJavaClassByName("dump.Graph$Fields").getRetainedSizeByClass());
    }
}
