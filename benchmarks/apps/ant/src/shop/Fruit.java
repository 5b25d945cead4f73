package shop;

enum Fruit {
    APPLES(35), PEARS(42) {
        @Override Price price(int count) {
            return count > 2 ? super.price(count - 1) : super.price(count);
        }
    }, PLUMS(12);

    private final Price each;

    Fruit(int cents) {
        each = new Price(cents);
    }

    Price price(int count) {
        return each.times(count);
    }
}
