// Casts to interfaces and arrays in loops. Each class caches the last answer, which the next cast may or may not hit:
// classes that do and do not implement the interface, alternately, and some that are loaded late.
public class Interface_casts {
    interface Near { }
    interface Far extends Near { }
    static class Both implements Far, Comparable<Both> { public int compareTo(Both other) { return 0; } }
    static class One implements Near { }
    static class None { }
    static class Late implements Far { }

    static int asked(Object[] all) {
        int sum = 0;
        for (Object o : all) {
            if (o instanceof Near) sum += 1;
            if (o instanceof Far) sum += 100;
            if (o instanceof Comparable) sum += 10_000;
            if (o instanceof Object[]) sum += 1_000_000;
            if (o instanceof Near[]) sum += 100_000_000;
        }
        return sum;
    }

    static int cast(Object[] all) {
        int refused = 0;
        for (Object o : all) {
            try { Near n = (Near) o; if (n != o) return -1; } catch (ClassCastException e) { refused++; }
            try { Near[] n = (Near[]) o; if (n != o) return -1; } catch (ClassCastException e) { refused += 100; }
            try { Far n = (Far) o; if (n != o) return -1; } catch (ClassCastException e) { refused += 10_000; }
        }
        return refused;
    }

    static int stored(Object[] into, Object[] all) {
        int refused = 0;
        for (Object o : all)
            try { into[0] = o; } catch (ArrayStoreException e) { refused++; }
        return refused;
    }

    public static void main(String[] args) {
        Object[] all = {new Both(), new One(), new None(), null, "text", new Near[1], new Both[2], new None[1], new int[3],
            new Far[1][1], new One(), new Both(), new Far[0]};
        long sum = 0;
        for (int i = 0; i < 3000; i++) {
            if (i == 2000) all[2] = new Late();
            sum = sum * 31 + asked(all);
            if (i % 10 == 0) sum = sum * 31 + cast(all) + stored(new Near[1], all) + stored(new Far[1][], all);
        }
        System.out.println(sum + " " + asked(all) + " " + cast(all) + " " + stored(new Near[1], all));
        try {
            Near n = (Near) all[4];
            System.out.println(n);
        } catch (ClassCastException e) {
            System.out.println(e.getMessage());
        }
    }
}
