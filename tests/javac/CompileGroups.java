import com.sun.tools.javac.Main;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/**
 * Runs javac once for each line of a file, all in one process. A line has a name and the sources to compile together;
 * their class files go to OUT/name. Prints the name and javac's exit code. Arguments: the file, OUT, more for javac.
 */
final class CompileGroups {
    public static void main(String[] args) throws IOException {
        List<String> options = List.of(args).subList(2, args.length);
        for (String line : Files.readAllLines(Path.of(args[0]))) {
            String[] words = line.trim().split(" +");
            Path out = Path.of(args[1], words[0]);
            Files.createDirectories(out);
            List<String> all = new ArrayList<>(options);
            all.addAll(List.of("-d", out.toString()));
            all.addAll(List.of(words).subList(1, words.length));
            System.out.println(words[0] + " " + Main.compile(all.toArray(new String[0])));
        }
    }
}
