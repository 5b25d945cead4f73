// vm: -Xmx24m
// collections: 20
/** Objects whose allocation compiled code delays must not exceed the heap's limit without end. */
public class Partly_out_of_memory {
    static class Cell {
        long a, b, c;
        Cell next;
    }

    static Cell head;
    static int length;

    static void fill() {
        for (int i = 0; ; i++) {
            Cell c = new Cell();
            c.a = i;
            if ((i & 3) == 0) {
                c.next = head;
                head = c;
                length++;
            }
        }
    }

    static int sum(int n) {
        Cell last = null;
        int s = 0;
        for (int i = 0; i < n; i++) {
            Cell c = new Cell();
            c.a = i;
            if ((i & 3) == 0) last = c;
            s += (int) c.a;
        }
        return s + (int) last.a;
    }

    public static void main(String[] args) {
        for (int k = 0; k < 3; k++) {
            boolean caught = false;
            try {
                fill();
            } catch (OutOfMemoryError e) {
                caught = true;
                head = null;
            }
            System.out.println(caught + " " + (length > 100000 && length < 1000000) + " " + sum(100000));
            length = 0;
        }
    }
}
