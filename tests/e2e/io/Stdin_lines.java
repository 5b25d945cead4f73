// stdin: first line\nsecond \u00e9 line\n42 3.5\nrest\nof input
// Standard input: reader, scanner and raw bytes.
import java.io.*;
import java.nio.charset.StandardCharsets;
import java.util.Scanner;

public class Stdin_lines {
    public static void main(String[] args) throws Exception {
        System.out.println(System.in.available() > 0);
        StringBuilder b = new StringBuilder();
        for (int c; (c = System.in.read()) != '\n'; ) b.append((char) c);
        System.out.println(b);
        BufferedReader r = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
        System.out.println(r.readLine());
        Scanner s = new Scanner(r);
        System.out.println(s.nextInt() + s.nextDouble());
        s.nextLine();
        while (s.hasNextLine()) System.out.println("[" + s.nextLine() + "]");
        System.out.println(System.in.read());
    }
}
