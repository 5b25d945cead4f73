import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import org.openjdk.jmh.infra.BenchmarkParams;
import org.openjdk.jmh.infra.IterationParams;
import org.openjdk.jmh.profile.InternalProfiler;
import org.openjdk.jmh.profile.ProfilerException;
import org.openjdk.jmh.results.AggregationPolicy;
import org.openjdk.jmh.results.IterationResult;
import org.openjdk.jmh.results.Result;
import org.openjdk.jmh.results.ScalarResult;

/**
 * A profiler for JMH, for which {@code -prof} wants the name of a class: {@code -prof cabernet} counts the entries of all methods
 * by operation, {@code -prof cabernet:HashMap.get,Repo.load} those of some, by {@code method-count} of the forked VM
 * ({@code -jvm build/cabernet}). The package of the same name hides itself from this class, which so calls it by reflection.
 */
public class cabernet implements InternalProfiler {
    private final String[] methods;
    private Object before;

    public cabernet(String options) throws ProfilerException {
        methods = options == null || options.isEmpty() ? new String[0] : options.split(",");
    }

    @Override
    public String getDescription() {
        return "entries of methods by operation, counted by cabernet";
    }

    private static Object call(Object on, String type, String name, Object... arguments) {
        try {
            Class<?>[] types = new Class<?>[arguments.length];
            for (int i = 0; i < types.length; i++) types[i] = String.class;
            Method method = Class.forName(type).getMethod(name, types);
            return method.invoke(on, arguments);
        } catch (InvocationTargetException e) {
            throw new IllegalStateException(e.getCause().getMessage(), e.getCause());
        } catch (ReflectiveOperationException e) {
            throw new IllegalStateException("-prof cabernet needs cabernet: -jvm .../build/cabernet", e);
        }
    }

    private static Object now() {
        return call(null, "cabernet.Calls", "now");
    }

    @Override
    public void beforeIteration(BenchmarkParams benchmark, IterationParams iteration) {
        if (((String) call(null, "cabernet.Profile", "status")).startsWith("no profile"))
            call(null, "cabernet.Profile", "start", "method-count:message=off");
        before = now();
    }

    @Override
    public Collection<? extends Result> afterIteration(BenchmarkParams benchmark, IterationParams iteration, IterationResult result) {
        Object after = now();
        double operations = result.getMetadata().getAllOps();
        List<Result> results = new ArrayList<>();
        long all = (long) call(after, "cabernet.Calls", "total") - (long) call(before, "cabernet.Calls", "total");
        results.add(new ScalarResult("calls", all / operations, "calls/op", AggregationPolicy.AVG));
        for (String method : methods) {
            long calls = (long) call(after, "cabernet.Calls", "of", method) - (long) call(before, "cabernet.Calls", "of", method);
            results.add(new ScalarResult("calls." + method, calls / operations, "calls/op", AggregationPolicy.AVG));
        }
        return results;
    }
}
