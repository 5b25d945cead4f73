import java.util.*;
import java.util.stream.*;

/** Sequential streams with lambdas: filter, map, reduce, grouping, flat map, boxing. */
final class StreamMix implements Kernel {
    private record Order(int customer, int item, long cents) { }

    @Override
    public long run() {
        List<Order> orders = IntStream.range(0, 9000).mapToObj(i -> new Order(i * 37 % 211, i % 17, (long) i * i % 10_007)).collect(Collectors.toList());
        long sum = 0;
        for (int round = 0; round < 14; round++) {
            int r = round;
            sum = sum * 31 + orders.stream().filter(o -> o.item() % 4 == r).mapToLong(Order::cents).sum();
            Map<Integer, Long> by = orders.stream().collect(Collectors.groupingBy(Order::customer, TreeMap::new, Collectors.summingLong(Order::cents)));
            sum = sum * 31 + by.values().stream().sorted(Comparator.reverseOrder()).limit(10).reduce(0L, (a, b) -> a * 3 + b);
            sum = sum * 31 + orders.stream().flatMap(o -> Stream.of(o.item(), o.customer())).distinct().count();
            sum += IntStream.rangeClosed(1, 12_000).filter(i -> (i & r + 1) != 0).map(i -> i * 3 % 101).asLongStream().sum();
        }
        return sum;
    }
}
