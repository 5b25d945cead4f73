package shop;

import java.util.Locale;

/** A price in cents. */
final class Price implements Comparable<Price> {
    static final Price NONE = new Price(0);
    private final long cents;

    Price(long cents) {
        this.cents = cents;
    }

    Price plus(Price other) {
        return new Price(Math.addExact(cents, other.cents));
    }

    Price times(int count) {
        return new Price(Math.multiplyExact(cents, count));
    }

    @Override public int compareTo(Price other) {
        return Long.compare(cents, other.cents);
    }

    @Override public String toString() {
        return String.format(Locale.ROOT, "%d.%02d", cents / 100, cents % 100);
    }
}
