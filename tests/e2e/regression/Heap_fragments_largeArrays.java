// vm: -Xmx24m
import java.util.*;

/** Doubling arrays with small objects between them: far below the heap limit, however fragmented. */
public final class Heap_fragments_largeArrays {
    static final class Node {
        Node next;
        byte[] load;

        Node(Node next, int size) {
            this.next = next;
            load = new byte[size];
        }
    }

    public static void main(String[] args) {
        List<Node> kept = new ArrayList<>();
        int size = 1 << 16;
        byte[] table = new byte[size];
        long sum = 0;
        for (int round = 0; round < 6; round++) {
            Node chain = null;
            for (int i = 0; i < 60000; i++) {
                chain = new Node(i % 50 == 0 ? null : chain, 16 + (i * 31 + round) % 200);
                if (i % 400 == 0) kept.add(chain);
            }
            size = Math.min(size * 2, 1 << 22);
            table = Arrays.copyOf(table, size);
            table[size - 1] = (byte) round;
            sum += table.length;
        }
        for (Node n : kept) sum += n.load.length;
        System.out.println(sum + " " + kept.size());
    }
}
