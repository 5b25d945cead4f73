// Parallel streams with results that do not depend on the schedule.
import java.util.*;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.atomic.LongAdder;
import java.util.stream.*;

public class Stream_parallel {
    public static void main(String[] args) {
        System.out.println(IntStream.range(0, 10000).parallel().filter(i -> i % 7 == 0).mapToLong(i -> (long) i * i).sum());
        List<Integer> l = IntStream.range(0, 2000).parallel().map(i -> i ^ 5).boxed().collect(Collectors.toList());
        boolean ordered = true;
        for (int i = 0; i < l.size(); i++) if (l.get(i) != (i ^ 5)) ordered = false;
        System.out.println(ordered + " " + l.size());
        System.out.println(Arrays.asList("a b c d e f g h i j".split(" ")).parallelStream().map(String::toUpperCase).collect(Collectors.joining("-")));
        ConcurrentMap<Integer, Long> g = IntStream.range(0, 1000).parallel().boxed().collect(Collectors.groupingByConcurrent(i -> i % 5, Collectors.counting()));
        System.out.println(new TreeMap<>(g));
        LongAdder adder = new LongAdder();
        IntStream.rangeClosed(1, 1000).parallel().forEach(adder::add);
        System.out.println(adder.sum() + " " + IntStream.range(0, 1000).parallel().boxed().reduce(0, Integer::sum) + " " + Stream.of(5, 1, 4, 2).parallel().sorted().toList() + " " + IntStream.range(0, 500).parallel().boxed().skip(100).limit(3).toList() + " " + IntStream.range(0, 500).parallel().anyMatch(i -> i == 321));
        StringBuilder sb = new StringBuilder();
        IntStream.range(0, 30).parallel().forEachOrdered(sb::append);
        System.out.println(sb);
        try {
            IntStream.range(0, 100).parallel().forEach(i -> { if (i == 50) throw new IllegalStateException("at 50"); });
        } catch (IllegalStateException e) {
            System.out.println(e.getMessage());
        }
        System.out.println(IntStream.range(0, 200).parallel().mapToObj(i -> i % 10).distinct().sorted().toList() + " " + Arrays.stream(new double[]{1, 2, 3, 4}).parallel().max().getAsDouble());
    }
}
