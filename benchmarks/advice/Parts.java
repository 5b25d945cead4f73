/**
 * A catalogue of parts larger than the caches, in a search tree whose nodes are the parts themselves. Each step of a
 * search reads a number and a reference, which the class declares far apart. Shows the possible gain from the order of
 * fields in objects.
 */
public final class Parts {
    static final class Part {
        Object drawing, supplier, customs, history, notes, label;
        long created, changed, checked, ordered;
        double length, width, height, weight;
        Part lower, higher;
        int revision, plant, shelf, batch, colour, number, price, stock;
    }

    private static final int COUNT = 300_000, SEARCHES = 40_000;
    private static final Part root = build();

    private Parts() { }

    private static int[] shuffled(int count) {
        int[] numbers = new int[count];
        long seed = 42;
        for (int i = 0; i < count; i++) numbers[i] = i;
        for (int i = count - 1; i > 0; i--) {
            seed = seed * 6364136223846793005L + 1442695040888963407L;
            int k = (int) ((seed >>> 33) % (i + 1)), n = numbers[i];
            numbers[i] = numbers[k];
            numbers[k] = n;
        }
        return numbers;
    }

    private static Part build() {
        Part root = null;
        for (int number : shuffled(COUNT)) {
            Part p = new Part();
            p.number = number;
            p.price = number % 997;
            p.stock = number % 13;
            if (root == null) root = p;
            else insert(root, p);
        }
        return root;
    }

    private static void insert(Part at, Part p) {
        while (true) {
            Part next = p.number < at.number ? at.lower : at.higher;
            if (next == null) break;
            at = next;
        }
        if (p.number < at.number) at.lower = p;
        else at.higher = p;
    }

    private static Part find(int number) {
        Part p = root;
        while (p != null && p.number != number) p = number < p.number ? p.lower : p.higher;
        return p;
    }

    /** Searches for numbers all over the catalogue. */
    public static void once(String[] args) {
        long sum = 0, seed = 7;
        for (int i = 0; i < SEARCHES; i++) {
            seed = seed * 6364136223846793005L + 1442695040888963407L;
            Part p = find((int) ((seed >>> 33) % COUNT));
            sum += (long) p.price * p.stock;
        }
        System.out.println(sum);
    }

    /** Runs once() as often as the argument says, by default 10 times. */
    public static void main(String[] args) {
        int n = args.length > 0 ? Integer.parseInt(args[0]) : 10;
        for (int i = 0; i < n; i++) once(args);
    }
}
