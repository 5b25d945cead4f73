import java.net.URI;
import java.nio.file.*;
import java.util.Map;
/** Opens a JDK file system whose classes come from a separate loader. */
public class Jrt {
    public static void main(String[] args) throws Exception {
        try (FileSystem fs = FileSystems.newFileSystem(URI.create("jrt:/"), Map.of("java.home", System.getProperty("java.home")))) {
            System.out.println(Files.exists(fs.getPath("modules/java.base/java/lang/Object.class")));
        }
    }
}
