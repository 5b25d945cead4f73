// Allocates in four methods, two of which take turns with objects of the same size.
public class SampledAllocations {
    static final class Node {
        Node next;
        long value;
    }

    static Object[] kept = new Object[8];

    static Object first(int i) {
        Node n = new Node();
        n.value = i;
        return n;
    }

    static Object second(int i) {
        Node n = new Node();
        n.value = -i;
        return n;
    }

    static Object large(int i) {
        return new byte[5000 + i % 7];
    }

    static Object deep(int i, int depth) {
        return depth == 0 ? new int[i % 50] : deep(i, depth - 1);
    }

    public static void main(String[] args) {
        int n = Integer.parseInt(args[0]), depth = args.length > 1 ? Integer.parseInt(args[1]) : 10;
        for (int i = 0; i < n; i++) {
            kept[0] = first(i);
            kept[1] = second(i);
            if (i % 40 == 0) kept[2] = large(i);
            kept[3] = deep(i, depth);
        }
        System.out.println(n);
    }
}
