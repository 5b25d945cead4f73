/** Threads, sequential and concurrent, that create more contexts and references than a small limit= allows. */
public class Limits {
    static final class Node { Node next; int value; Node(Node next, int value) { this.next = next; this.value = value; } }
    static long sum;

    static int down(int depth, int way) {
        if (depth == 0) { if (way % 3 == 0) throw new IllegalStateException(); return way; }
        return (way >> depth & 1) == 0 ? down(depth - 1, way) : 1 + other(depth - 1, way);
    }

    static int other(int depth, int way) { return depth == 0 ? way : down(depth - 1, way) - 1; }

    static int list(int length) {
        Node first = null;
        for (int i = 0; i < length; i++) first = new Node(first, i);
        int[] values = new int[length];
        int s = 0, at = 0;
        for (Node n = first; n != null; n = n.next) { values[at] = n.value; s += values[at++]; }
        return s;
    }

    static void work(int number) {
        long s = 0;
        for (int way = 0; way < 300; way++) {
            try { s += down(9, way + number); } catch (IllegalStateException e) { s--; }
            s += list(20 + way % 7);
        }
        synchronized (Limits.class) { sum += s; }
    }

    public static void main(String[] args) throws Exception {
        for (int i = 0; i < 6; i++) { int n = i; Thread t = new Thread(() -> work(n)); t.start(); t.join(); }
        Thread[] all = new Thread[6];
        for (int i = 0; i < all.length; i++) { int n = i; (all[i] = new Thread(() -> work(n))).start(); }
        for (Thread t : all) t.join();
        System.out.println(sum);
    }
}
