import java.util.*;
import java.util.function.Supplier;

/**
 * Runs one kernel: Kernels NAME [ITERATIONS]. Prints the milliseconds of each iteration and, at the
 * end, the checksum; "Kernels list" prints the names with their groups. A run fails when two
 * iterations disagree. The method once runs one iteration and prints the checksum alone.
 */
public final class Kernels {
    private static final Map<String, Supplier<Kernel>> kernels = new LinkedHashMap<>();
    private static final Map<String, String> groups = new HashMap<>();

    private static void add(String group, String name, Supplier<Kernel> kernel) {
        kernels.put(name, kernel);
        groups.put(name, group);
    }

    static {
        add("numeric", "mandelbrot", Mandelbrot::new);
        add("numeric", "spectral", Spectral::new);
        add("numeric", "matmul", MatMul::new);
        add("numeric", "fft", Fft::new);
        add("numeric", "sieve", Sieve::new);
        add("numeric", "nbody", NBody::new);
        add("object", "scheduler", TaskScheduler::new);
        add("object", "constraints", Constraints::new);
        add("object", "dispatch", Dispatch::new);
        add("string", "text", TextBuilding::new);
        add("string", "json", JsonText::new);
        add("string", "words", WordCount::new);
        add("collection", "maps", MapMix::new);
        add("collection", "lists", ListMix::new);
        add("collection", "sort", Sorting::new);
        add("collection", "streams", StreamMix::new);
        add("recursion", "fib", Fib::new);
        add("recursion", "tak", Tak::new);
        add("recursion", "queens", Queens::new);
        add("allocation", "trees", BinaryTrees::new);
        add("allocation", "links", LinkedCells::new);
        add("bytes", "crc", Crc::new);
        add("bytes", "sha", Sha::new);
        add("control", "exceptions", Throwing::new);
        add("control", "bytecodes", TinyMachine::new);
    }

    private Kernels() { }

    public static void main(String[] args) {
        if (args.length == 0 || args.length > 2) usage();
        if (args[0].equals("list")) {
            for (String name : kernels.keySet()) System.out.println(name + " " + groups.get(name));
            return;
        }
        Supplier<Kernel> maker = kernels.get(args[0]);
        if (maker == null) usage();
        int iterations = args.length == 2 ? Integer.parseInt(args[1]) : 3;
        long checksum = 0;
        for (int i = 0; i < iterations; i++) {
            long start = System.nanoTime();
            long result = maker.get().run();
            long micros = (System.nanoTime() - start) / 1000;
            System.out.println("iteration " + (i + 1) + " " + micros / 1000 + "." + thousandths(micros) + " ms");
            if (i > 0 && result != checksum) {
                System.out.println("checksum changed from " + checksum + " to " + result);
                System.exit(1);
            }
            checksum = result;
        }
        System.out.println("checksum " + Long.toHexString(checksum));
    }

    public static void once(String[] args) {
        System.out.println(Long.toHexString(kernels.get(args[0]).get().run()));
    }

    private static String thousandths(long micros) {
        return Long.toString(1000 + micros % 1000).substring(1);
    }

    private static void usage() {
        System.err.println("usage: Kernels NAME [ITERATIONS] | Kernels list");
        System.exit(2);
    }
}
