import java.io.PrintWriter;
import org.eclipse.jdt.core.compiler.batch.BatchCompiler;

/** Eclipse's compiler as a program that returns: Ecj ARGUMENTS, as on its command line. Prints whether it succeeded. */
public final class Ecj {
    private Ecj() { }

    public static void main(String[] args) {
        System.out.println(BatchCompiler.compile(args, new PrintWriter(System.out, true), new PrintWriter(System.out, true), null));
    }
}
