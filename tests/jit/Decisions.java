// The outcome of escape analysis for allocations: tests/run/jit compares -Xjit:dump=e with Decisions.allocations.
public class Decisions {
    record Pair(int a, int b) { }

    static class Cell {
        int value;
        Cell(int value) { this.value = value; }
    }

    static Object kept;

    static int never(int i) {
        Pair p = new Pair(i, 1);
        return p.a() + p.b();
    }

    static int always(int i) {
        Pair p = new Pair(i, 2);
        kept = p;
        return p.a();
    }

    static int branch(int i) {
        Pair p = new Pair(i, 3);
        if ((i & 7) == 1) kept = p;
        return p.a();
    }

    // Its field may change once another method can see it.
    static int changing(int i) {
        Cell c = new Cell(i);
        if ((i & 7) == 1) kept = c;
        return c.value;
    }

    static int loop(int n) {
        Cell sum = new Cell(0);
        for (int i = 0; i < n; i++) sum = new Cell(sum.value + i);
        kept = sum;
        return sum.value;
    }

    // Kept objects are materialised, and still read as values.
    static int best(int n) {
        Pair best = new Pair(-1, 0);
        int sum = 0;
        for (int i = 0; i < n; i++) {
            Pair p = new Pair(i * 7919 % 101, i);
            if (p.a() > best.a()) best = p;
            sum += p.a() + p.b();
        }
        return sum + best.b();
    }

    // The code after a loop of many iterations runs as often as the code before it.
    static int behind(int n) {
        Cell c = new Cell(n);
        int s = 0;
        for (int i = 0; i < 500; i++) s += i ^ c.value;
        kept = c;
        return s;
    }

    public static void main(String[] args) {
        int h = 0;
        for (int i = 0; i < 3000; i++)
            h = h * 31 + never(i) + always(i) + branch(i) + changing(i) + loop(i & 15) + best(i & 15) + behind(i);
        System.out.println(h);
    }
}
