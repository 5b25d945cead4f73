// vm: -Xmx40m -XX:+UseG1GC
// Exceptions that are kept fill the heap with their traces: the program soon gets its error, rather than a collection
// for each. G1, because java's default collector on one processor keeps collecting for minutes.
public class Traces_fillHeap {
    static int frames;

    static int keep(int n) {
        Exception e = new Exception();
        frames++;
        return keep(n + 1) + e.hashCode();
    }

    public static void main(String[] args) {
        for (int i = 0; i < 3; i++) {
            frames = 0;
            try {
                keep(0);
            } catch (VirtualMachineError e) {
                System.out.println("ended " + (frames > 500));
            }
        }
        System.out.println(new Exception("after").getStackTrace().length);
    }
}
