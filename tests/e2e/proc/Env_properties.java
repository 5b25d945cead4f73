// env: CAB_ONE=1 CAB_TWO=two\ words
// vm: -Dmy.prop=value -Dempty -Dwith.equals=a=b
// Environment variables and system properties.
import java.util.*;

public class Env_properties {
    public static void main(String[] args) {
        System.out.println(System.getenv("CAB_ONE") + " " + System.getenv("CAB_TWO") + " " + System.getenv("CAB_NONE") + " " + System.getenv().containsKey("CAB_ONE"));
        try {
            System.getenv().put("x", "y");
        } catch (UnsupportedOperationException e) {
            System.out.println("read only");
        }
        System.out.println(System.getProperty("my.prop") + " [" + System.getProperty("empty") + "] " + System.getProperty("with.equals") + " " + System.getProperty("none") + " " + System.getProperty("none", "default"));
        System.setProperty("my.prop", "changed");
        System.out.println(System.getProperty("my.prop") + " " + System.clearProperty("my.prop") + " " + System.getProperty("my.prop"));
        for (String k : new String[]{"java.version", "java.specification.version", "java.class.version", "os.name", "os.arch", "file.separator", "path.separator", "line.separator", "user.dir", "java.io.tmpdir", "java.home", "java.vendor", "file.encoding", "java.vm.specification.version", "sun.arch.data.model", "native.encoding"})
            System.out.print((System.getProperty(k) != null) + " ");
        System.out.println();
        System.out.println(System.getProperty("java.specification.version") + " " + System.getProperty("os.name") + " " + System.getProperty("os.arch") + " " + System.getProperty("java.class.version") + " " + System.getProperty("file.encoding") + " " + System.getProperty("line.separator").length() + " " + System.getProperty("java.version") + " " + Runtime.version().feature());
        try {
            System.getProperty("");
        } catch (IllegalArgumentException e) {
            System.out.println(e.getMessage());
        }
        Properties p = System.getProperties();
        System.out.println((p.size() > 40) + " " + p.stringPropertyNames().contains("java.home"));
    }
}
