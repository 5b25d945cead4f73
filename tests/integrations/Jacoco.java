import java.io.InputStream;
import java.util.Enumeration;
import java.util.HashMap;
import java.util.Map;
import java.util.jar.JarEntry;
import java.util.jar.JarFile;
import org.jacoco.core.analysis.Analyzer;
import org.jacoco.core.analysis.CoverageBuilder;
import org.jacoco.core.analysis.ICounter;
import org.jacoco.core.analysis.ILine;
import org.jacoco.core.analysis.ISourceFileCoverage;
import org.jacoco.core.data.ExecutionDataStore;
import org.jacoco.core.data.SessionInfoStore;
import org.jacoco.core.instr.Instrumenter;
import org.jacoco.core.runtime.LoggerRuntime;
import org.jacoco.core.runtime.RuntimeData;

/**
 * JaCoCo's coverage of a library: Jacoco LIBRARY.jar MAIN CLASSES. Runs MAIN with the library's classes instrumented, and prints for each
 * line source, line, branches taken, branches, instructions executed.
 */
public class Jacoco {
    static class Loader extends ClassLoader {
        final Map<String, byte[]> classes = new HashMap<>();

        @Override
        protected Class<?> loadClass(String name, boolean resolve) throws ClassNotFoundException {
            Class<?> loaded = findLoadedClass(name);
            byte[] bytes = classes.get(name);
            if (loaded != null || bytes == null) return loaded != null ? loaded : super.loadClass(name, resolve);
            return defineClass(name, bytes, 0, bytes.length);
        }
    }

    public static void main(String[] args) throws Exception {
        LoggerRuntime runtime = new LoggerRuntime();
        Instrumenter instrumenter = new Instrumenter(runtime);
        Loader loader = new Loader();
        Map<String, byte[]> originals = new HashMap<>();
        try (JarFile jar = new JarFile(args[0])) {
            for (Enumeration<JarEntry> e = jar.entries(); e.hasMoreElements();) {
                JarEntry entry = e.nextElement();
                if (!entry.getName().endsWith(".class") || entry.getName().contains("-info")) continue;
                String name = entry.getName().replace('/', '.').substring(0, entry.getName().length() - 6);
                try (InputStream in = jar.getInputStream(entry)) {
                    originals.put(name, in.readAllBytes());
                }
                loader.classes.put(name, instrumenter.instrument(originals.get(name), name));
            }
        }
        try (InputStream in = ClassLoader.getSystemResourceAsStream(args[1] + ".class")) {
            loader.classes.put(args[1], in.readAllBytes());
        }
        RuntimeData data = new RuntimeData();
        runtime.startup(data);
        loader.loadClass(args[1]).getMethod("main", String[].class).invoke(null, (Object) new String[0]);
        ExecutionDataStore executed = new ExecutionDataStore();
        data.collect(executed, new SessionInfoStore(), false);
        runtime.shutdown();
        CoverageBuilder builder = new CoverageBuilder();
        Analyzer analyzer = new Analyzer(executed, builder);
        for (Map.Entry<String, byte[]> c : originals.entrySet()) analyzer.analyzeClass(c.getValue(), c.getKey());
        for (ISourceFileCoverage s : builder.getSourceFiles()) {
            for (int i = s.getFirstLine(); i > 0 && i <= s.getLastLine(); i++) {
                ILine line = s.getLine(i);
                if (line.getStatus() == ICounter.EMPTY) continue;
                System.err.println(s.getPackageName() + "/" + s.getName() + " " + i + " " + line.getBranchCounter().getCoveredCount() + " "
                    + line.getBranchCounter().getTotalCount() + " " + line.getInstructionCounter().getCoveredCount());
            }
        }
    }
}
