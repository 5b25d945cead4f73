/** Three classes are called equally often, and each publishes the object that it allocates. */
public final class Thirds {
    private static Object last;

    private interface Maker {
        void make(int value);
    }

    private record Pair(int a, int b) { }

    private static final class First implements Maker {
        @Override
        public void make(int value) { last = new Pair(value, 1); }
    }

    private static final class Second implements Maker {
        @Override
        public void make(int value) { last = new Pair(value, 2); }
    }

    private static final class Third implements Maker {
        @Override
        public void make(int value) { last = new Pair(value, 3); }
    }

    private static int run(Maker[] makers, int times) {
        int sum = 0;
        for (int i = 0; i < times; i++) {
            makers[i % makers.length].make(i);
            sum += ((Pair) last).b();
        }
        return sum;
    }

    public static void main(String[] args) {
        Maker[] makers = {new First(), new Second(), new Third()};
        int sum = 0;
        for (int i = 0; i < 400; i++) sum += run(makers, 30);
        System.out.println(sum);
    }
}
