// oracle: called back
// Lambdas, method references of all kinds, streams and the application's functional interfaces.
import java.util.*;
import java.util.function.*;
import java.util.stream.*;

public class Lambda_streams {
    interface Fun { int apply(int x); default Fun then(Fun g) { return x -> g.apply(apply(x)); } static Fun id() { return x -> x; } }
    static class Item {
        final int v;
        Item(int v) { this.v = v; }
        int value() { return v; }
        boolean small() { return v < 50; }
        Item next() { return new Item(v + 1); }
        static int compare(Item a, Item b) { return Integer.compare(key(a), key(b)); }
        static int key(Item a) { return a.v * 37 % 101; }
    }
    static int twice(int x) { return x * 2; }
    int field = 3;
    int addField(int x) { return x + field; }
    static int callIt(Fun f, int n) { int s = 0; for (int i = 0; i < n; i++) s += f.apply(i); return s; }
    public static void main(String[] args) {
        Lambda_streams self = new Lambda_streams();
        int base = args.length + 5;
        int s = callIt(x -> x + base, 20) + callIt(Lambda_streams::twice, 30) + callIt(self::addField, 10) + callIt(Fun.id().then(Lambda_streams::twice).then(x -> x - 1), 15);
        List<Item> items = IntStream.range(0, 40).mapToObj(Item::new).collect(Collectors.toList());
        s += items.stream().filter(Item::small).map(Item::next).mapToInt(Item::value).sum();
        items.sort(Item::compare);
        s += items.get(0).v;
        items.sort(Comparator.comparing(Item::value, (a, b) -> b - a));
        s += items.stream().limit(5).reduce(0, (a, i) -> a + Item.key(i), Integer::sum);
        Map<Boolean, List<Item>> m = items.stream().collect(Collectors.partitioningBy(i -> i.value() % 2 == 0));
        s += m.get(true).size();
        Supplier<Supplier<Integer>> nested = () -> () -> twice(21);
        s += nested.get().get();
        Runnable r = () -> { for (int i = 0; i < 3; i++) twice(i); };
        r.run();
        Function<Integer, Item> mk = Item::new;
        s += mk.apply(5).next().value();
        new ArrayList<>(items).forEach(i -> i.next());
        items.removeIf(i -> Item.key(i) > 60);
        s += items.size() + Stream.iterate(new Item(1), Item::next).limit(8).mapToInt(Item::value).max().getAsInt();
        Optional<Item> o = items.stream().skip(3).findFirst();
        s += o.map(Item::next).filter(Item::small).isPresent() ? 1 : 0;
        System.out.println(s);
    }
}
