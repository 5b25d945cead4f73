// Prints how many mappings of this process are both writable and executable, and how many anonymous ones hold code.
// Before that it uses compiled code, its replacement, lambdas, reflection, threads and native methods.
import java.nio.file.*;
import java.util.*;
import java.util.stream.*;

public class Mappings {
    interface Shape { int area(int n); }
    record Square(int side) implements Shape { public int area(int n) { return side * side + n; } }
    record Line(int length) implements Shape { public int area(int n) { return length ^ n; } }

    static int work(Shape s, int rounds) {
        int sum = 0;
        for (int i = 0; i < rounds; i++) sum = sum * 31 + s.area(i);
        return sum;
    }

    public static void main(String[] args) throws Exception {
        int sum = work(new Square(3), 100000);
        sum += work(new Line(7), 100000);
        sum += IntStream.range(0, 5000).mapToObj(i -> "x" + i).collect(Collectors.toSet()).size();
        List<Thread> threads = new ArrayList<>();
        for (int i = 0; i < 4; i++) {
            Shape shape = i % 2 == 0 ? new Square(i) : n -> n * 5;
            Thread t = new Thread(() -> work(shape, 50000));
            t.start();
            threads.add(t);
        }
        for (Thread t : threads) t.join();
        for (int i = 0; i < 50; i++) sum += (Integer) Integer.class.getMethod("parseInt", String.class).invoke(null, "12");
        int both = 0, code = 0;
        for (String line : Files.readAllLines(Path.of("/proc/self/maps"))) {
            String[] part = line.split(" +");
            if (part[1].startsWith("rwx") || part[1].startsWith("-wx")) both++;
            if (part[1].startsWith("r-x") && (part.length < 6 || part[5].startsWith("/dev/zero"))) code++;
        }
        System.out.println("both " + both + " code " + code + " sum " + sum);
    }
}
