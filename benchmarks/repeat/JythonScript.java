import java.util.Properties;
import org.python.core.PySystemState;
import org.python.util.PythonInterpreter;

/** A Python script in a fresh interpreter, as a program that returns: JythonScript FILE. Prints the script's output. */
public final class JythonScript {
    static {
        Properties properties = new Properties();
        properties.setProperty("python.home", "/usr/share/jython");
        properties.setProperty("python.cachedir.skip", "true");
        properties.setProperty("python.import.site", "false");
        PySystemState.initialize(System.getProperties(), properties);
    }

    private JythonScript() { }

    public static void main(String[] args) {
        try (PythonInterpreter python = new PythonInterpreter(null, new PySystemState())) {
            python.setOut(System.out);
            python.execfile(args[0]);
        }
    }
}
