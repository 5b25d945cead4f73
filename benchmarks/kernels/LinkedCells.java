/** Immutable linked lists: map, reverse, append and filter by allocation and recursion-free loops. */
final class LinkedCells implements Kernel {
    private static final class Cell {
        final int head;
        final Cell tail;

        Cell(int head, Cell tail) {
            this.head = head;
            this.tail = tail;
        }
    }

    private static Cell range(int n) {
        Cell c = null;
        for (int i = n; i > 0; i--) c = new Cell(i, c);
        return c;
    }

    private static Cell reverse(Cell c) {
        Cell r = null;
        for (; c != null; c = c.tail) r = new Cell(c.head, r);
        return r;
    }

    private static Cell scaled(Cell c, int k) {
        Cell r = null;
        for (; c != null; c = c.tail) r = new Cell(c.head * k, r);
        return reverse(r);
    }

    private static Cell only(Cell c, int modulus) {
        Cell r = null;
        for (; c != null; c = c.tail) if (c.head % modulus != 0) r = new Cell(c.head, r);
        return reverse(r);
    }

    @Override
    public long run() {
        long sum = 0;
        for (int i = 1; i <= 1900; i++) {
            Cell c = only(scaled(reverse(range(700)), i), 7);
            for (; c != null; c = c.tail) sum = sum * 3 + c.head;
        }
        return sum;
    }
}
