package shop;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.stream.Collectors;

public final class Main {
    private static final class Item {
        final Fruit fruit;
        final int count;

        Item(Fruit fruit, int count) {
            this.fruit = fruit;
            this.count = count;
        }

        Price price() {
            return fruit.price(count);
        }

        @Override public String toString() {
            return count + " " + fruit.name().toLowerCase(Locale.ROOT) + " " + price();
        }
    }

    public static void main(String[] args) {
        List<Item> items = new ArrayList<>();
        for (int i = 0; i + 1 < args.length; i += 2) {
            items.add(new Item(Fruit.valueOf(args[i + 1].toUpperCase(Locale.ROOT)), Integer.parseInt(args[i])));
        }
        items.sort(Comparator.comparing(Item::price).reversed());
        System.out.println(items.stream().map(Item::toString).collect(Collectors.joining("; ")));
        System.out.println("total " + items.stream().map(Item::price).reduce(Price.NONE, Price::plus));
    }
}
