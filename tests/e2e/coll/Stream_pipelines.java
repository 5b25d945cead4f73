// Sequential streams: every kind of intermediate and terminal operation, laziness, infinite sources.
import java.util.*;
import java.util.function.Function;
import java.util.stream.*;

public class Stream_pipelines {
    record Person(String name, int age, String city) { }

    public static void main(String[] args) {
        List<Person> ps = List.of(new Person("Ann", 30, "Rome"), new Person("Bob", 25, "Oslo"), new Person("Cid", 35, "Rome"), new Person("Dee", 25, "Bern"), new Person("Eve", 41, "Oslo"));
        System.out.println(ps.stream().filter(p -> p.age() > 26).map(Person::name).sorted(Comparator.reverseOrder()).collect(Collectors.toList()));
        System.out.println(new TreeMap<>(ps.stream().collect(Collectors.groupingBy(Person::city, Collectors.mapping(Person::name, Collectors.joining("+", "<", ">"))))));
        System.out.println(ps.stream().collect(Collectors.partitioningBy(p -> p.age() < 30, Collectors.counting())) + " " + ps.stream().collect(Collectors.averagingInt(Person::age)) + " " + ps.stream().collect(Collectors.summarizingInt(Person::age)));
        System.out.println(ps.stream().sorted(Comparator.comparingInt(Person::age).thenComparing(Person::name, Comparator.reverseOrder())).map(Person::name).toList() + " " + ps.stream().max(Comparator.comparing(Person::age)).get().name() + " " + ps.stream().mapToInt(Person::age).sum());
        System.out.println(new TreeMap<>(ps.stream().collect(Collectors.toMap(Person::city, Person::age, Integer::sum))) + " " + ps.stream().map(Person::city).distinct().collect(Collectors.toCollection(LinkedList::new)));
        try {
            ps.stream().collect(Collectors.toMap(Person::city, Function.identity()));
        } catch (IllegalStateException e) {
            System.out.println(e.getMessage());
        }
        StringBuilder trace = new StringBuilder();
        Optional<Integer> first = Stream.of(1, 2, 3, 4, 5, 6).peek(x -> trace.append("p").append(x)).filter(x -> x % 2 == 0).peek(x -> trace.append("q").append(x)).skip(1).findFirst();
        System.out.println(first + " " + trace);
        System.out.println(Stream.iterate(1, x -> x * 3).limit(8).toList() + " " + Stream.iterate(1, x -> x < 100, x -> x * 2).map(String::valueOf).collect(Collectors.joining(",")) + " " + Stream.generate(() -> "z").limit(3).toList());
        System.out.println(IntStream.rangeClosed(1, 5).mapToObj(i -> "x".repeat(i)).collect(Collectors.toList()) + " " + IntStream.range(0, 20).filter(i -> i % 3 == 0).boxed().toList() + " " + IntStream.of(3, 1, 2).sorted().boxed().map(Object::toString).reduce("", String::concat) + " " + LongStream.rangeClosed(1, 15).reduce(1, (a, b) -> a * b) + " " + DoubleStream.of(1, 2, 4).average().getAsDouble());
        System.out.println(Stream.of(List.of(1, 2), List.of(3), List.<Integer>of()).flatMap(List::stream).mapToInt(x -> x).summaryStatistics() + " " + Stream.of(1, 2, 3).<String>mapMulti((x, out) -> { for (int i = 0; i < x; i++) out.accept("m" + x); }).toList());
        System.out.println(Stream.of(5, 3, 9).anyMatch(x -> x > 8) + " " + Stream.of(5, 3, 9).allMatch(x -> x > 3) + " " + Stream.empty().noneMatch(x -> true) + " " + Stream.of(1, 2, 3, 4).reduce(0, (a, b) -> a * 10 + b) + " " + Stream.of("a", "bb").reduce(0, (n, s) -> n + s.length(), Integer::sum));
        System.out.println(Stream.of(1, 2, 3, 4, 1).takeWhile(x -> x < 4).toList() + " " + Stream.of(1, 2, 3, 4, 1).dropWhile(x -> x < 4).toList() + " " + Stream.concat(Stream.of("a"), Stream.of("b")).count() + " " + Arrays.toString(Stream.of("q", "r").toArray(String[]::new)));
        System.out.println(Stream.of("one", "two", "three").collect(Collectors.teeing(Collectors.counting(), Collectors.joining(), (n, s) -> n + s)) + " " + Stream.of(1, 2, 3, 4).collect(Collectors.collectingAndThen(Collectors.toList(), l -> { Collections.reverse(l); return l; })) + " " + Stream.of(1, 2, 3).collect(Collectors.filtering(x -> x > 1, Collectors.reducing(0, Integer::sum))));
        Stream<Integer> used = Stream.of(1);
        used.count();
        try {
            used.count();
        } catch (IllegalStateException e) {
            System.out.println(e.getMessage());
        }
        Iterator<Integer> it = Stream.of(7, 8).iterator();
        System.out.println(it.next() + it.next() + " " + it.hasNext() + " " + "hello".chars().mapToObj(c -> (char) c).map(Character::toUpperCase).map(String::valueOf).collect(Collectors.joining()) + " " + new Random(3).ints(5, 0, 10).boxed().toList());
        System.out.println(Optional.of(5).map(x -> x + 1).filter(x -> x > 5).or(() -> Optional.of(0)).get() + " " + Optional.empty().isPresent() + " " + Optional.ofNullable((String) null).orElse("else") + " " + OptionalInt.of(3) + " " + Optional.of("x").stream().count());
        StringBuilder closed = new StringBuilder();
        try (Stream<String> s = Stream.of("r").onClose(() -> closed.append("closed"))) { s.forEach(closed::append); }
        System.out.println(closed);
    }
}
