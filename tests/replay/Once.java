import java.util.function.Supplier;

// Some of benchmarks/kernels without their times, which differ between runs: Once NAME... prints checksums.
public class Once {
    static Supplier<Kernel> kernel(String name) {
        switch (name) {
            case "streams": return StreamMix::new;
            case "dispatch": return Dispatch::new;
            case "fft": return Fft::new;
            case "exceptions": return Throwing::new;
            case "json": return JsonText::new;
            default: throw new IllegalArgumentException(name);
        }
    }

    public static void main(String[] args) {
        for (String name : args) System.out.println(name + " " + Long.toHexString(kernel(name).get().run()));
    }
}
