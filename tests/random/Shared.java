/** Classes and methods that all random programs (programs.py) use. */
final class Shared {
    static int sum(int... all) { int t = 0; for (int x : all) t = t * 7 + x; return t; }
    static long count(Object... all) { return all.length; }
    static int down(int n, int x) { return n <= 0 ? x : down(n - 1, x * 3 + n) ^ n; }
    static long fib(int n) { return n < 2 ? n : fib(n - 1) + fib(n - 2); }
    static boolean odd(int n) { return n > 0 && !even(n - 1); }
    static boolean even(int n) { return n <= 0 || !odd(n - 1); }
}

class Oops extends RuntimeException {
    final int code;
    Oops(int code) { super("oops " + code); this.code = code; }
    static void check(int code) throws Checked { if ((code & 3) == 0) throw new Checked("c" + code); }
}

class Checked extends Exception {
    Checked(String why) { super(why); }
}

enum Color {
    RED(3), GREEN(5) { int shade(int x) { return x - weight; } }, BLUE(7), GREY(0);
    final int weight;
    Color(int weight) { this.weight = weight; }
    int shade(int x) { return x * weight; }
}

record Point(int x, long y, String s) {
    long dot(Point o) { return (long) x * o.x + y * o.y; }
}

interface Shape {
    int area(int k);
    default long twice(int k) { return 2L * area(k) + hidden(k); }
    private long hidden(int k) { return k ^ 5; }
    static int unit(int k) { return k + 1; }
}

class Box<T extends Comparable<T>> {
    T value;
    Box(T value) { this.value = value; }
    T get() { return value; }
    T max(T other) { if (value.compareTo(other) < 0) value = other; return value; }
}
