// Collectors: teeing, filtering, grouping into sorted maps, partitions, custom ones; sequential and parallel.
import java.util.*;
import java.util.function.*;
import java.util.stream.*;
import static java.util.stream.Collectors.*;

public class Collector_catalogue {
    record P(String name, String city, int age, double pay) { }

    public static void main(String[] args) {
        List<P> ps = new ArrayList<>();
        String[] names = {"Ann", "Bob", "Cid", "Dee", "Eve", "Fay"}, cities = {"Rome", "Oslo", "Bern"};
        for (int i = 0; i < 60; i++) ps.add(new P(names[i % 6] + i, cities[i * 7 % 3], 20 + i * 13 % 40, 100 + i * 31 % 17));
        for (Supplier<Stream<P>> s : List.<Supplier<Stream<P>>>of(ps::stream, ps::parallelStream)) {
            System.out.println("" + s.get().collect(groupingBy(P::city, TreeMap::new, counting())) + " " + s.get().collect(partitioningBy(p -> p.age() > 40, averagingInt(P::age))));
            System.out.println("" + s.get().collect(groupingBy(P::city, TreeMap::new, mapping(P::name, filtering(n -> n.startsWith("A"), joining("/", "<", ">"))))));
            System.out.println(s.get().collect(teeing(summingDouble(P::pay), counting(), (a, b) -> a / b)) + " " + s.get().collect(summarizingInt(P::age)));
            System.out.println("" + s.get().collect(groupingBy(P::city, TreeMap::new, collectingAndThen(maxBy(Comparator.comparingInt(P::age).thenComparing(P::name)), o -> o.get().name()))));
            System.out.println(s.get().collect(toMap(P::city, P::age, Integer::sum, TreeMap::new)) + " " + s.get().collect(reducing(0, P::age, Math::max)));
            System.out.println("" + s.get().collect(flatMapping(p -> p.name().chars().mapToObj(c -> (char) c).filter(Character::isLetter), toCollection(TreeSet::new))));
            System.out.println(s.get().sorted(Comparator.comparing(P::city).reversed().thenComparing(P::age)).skip(5).limit(4).map(P::name).collect(toList()) + " " + s.get().map(P::age).distinct().sorted().takeWhile(a -> a < 30).collect(toUnmodifiableList()));
            System.out.println(s.get().collect(Collector.of(() -> new int[2], (a, p) -> { a[0] += p.age(); a[1]++; }, (a, b) -> new int[]{a[0] + b[0], a[1] + b[1]}, a -> a[0] + "/" + a[1])) + " " + s.get().mapToInt(P::age).boxed().reduce(0, Integer::sum) + " " + s.get().map(P::name).reduce("", (a, b) -> b, (a, b) -> b.isEmpty() ? a : b));
            System.out.println(s.get().anyMatch(p -> p.age() == 33) + " " + s.get().map(P::age).min(Comparator.naturalOrder()).get() + " " + s.get().flatMap(p -> p.age() % 20 == 0 ? Stream.of(p.name(), p.city()) : Stream.empty()).collect(joining(",")) + " " + s.get().mapMulti((P p, Consumer<Integer> c) -> { if (p.age() > 55) { c.accept(p.age()); c.accept(-p.age()); } }).collect(toList()));
        }
        for (Supplier<Object> bad : List.<Supplier<Object>>of(() -> ps.stream().collect(toMap(P::city, P::name)), () -> ps.stream().collect(toUnmodifiableMap(p -> p, p -> null)), () -> { Stream<P> s = ps.stream(); s.count(); return s.count(); }, () -> Stream.of(1, null).collect(toUnmodifiableList()), () -> Stream.iterate(1, x -> x + 1).limit(-1))) try { System.out.println(bad.get()); } catch (RuntimeException e) { System.out.println(e.getClass().getSimpleName() + " " + String.valueOf(e.getMessage()).replaceAll("values .*", "values")); }
        StringBuilder order = new StringBuilder();
        IntStream.rangeClosed(1, 4).peek(i -> order.append('a').append(i)).filter(i -> i % 2 == 0).peek(i -> order.append('b').append(i)).mapToObj(i -> i).sorted(Comparator.reverseOrder()).peek(i -> order.append('c').append(i)).findFirst();
        Stream<Integer> closing = Stream.of(1).onClose(() -> order.append(" x")).onClose(() -> order.append(" y"));
        closing.close();
        System.out.println(order + " " + Stream.concat(Stream.of(1), Stream.of(2).parallel()).isParallel() + " " + IntStream.iterate(1, i -> i < 200, i -> i * 3).boxed().collect(toList()) + " " + Stream.of(5, 1).spliterator().hasCharacteristics(Spliterator.SIZED) + " " + new Random(4).ints(3, 0, 5).asLongStream().summaryStatistics());
        System.out.println(LongStream.rangeClosed(1, 20).parallel().reduce(1, (a, b) -> a * b) + " " + IntStream.range(0, 10000).parallel().filter(i -> i % 7 == 3).mapToObj(Integer::toString).collect(joining("")).hashCode() + " " + DoubleStream.of(0.1, 0.2, 0.3, 1e17, -1e17).sum() + " " + Arrays.toString(IntStream.range(0, 100).parallel().map(i -> 99 - i).sorted().limit(3).toArray()) + " " + Stream.of("b", "a", "c").parallel().collect(toCollection(LinkedHashSet::new)));
    }
}
