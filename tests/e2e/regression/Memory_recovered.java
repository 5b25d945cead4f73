// vm: -Xmx16m
// The objects that filled the heap are garbage once the error is caught: no reference in the VM's frames or on an
// operand stack may keep them alive, and the handler's first use of lambdas and string concatenation has enough
// memory.
import java.util.ArrayList;
import java.util.List;

public class Memory_recovered {
    static class Node {
        Node next;
        final long[] payload = new long[100];
        Node(Node next) { this.next = next; }
    }

    static int nodes() {
        Node head = null;
        for (int i = 0; ; i++) head = new Node(head);
    }

    static int list() {
        List<Object> kept = new ArrayList<>();
        while (true) kept.add(new byte[1 << 20]);
    }

    static synchronized int deep(int depth) {
        return depth == 0 ? nodes() : 1 + deep(depth - 1);
    }

    public static void main(String[] args) {
        int caught = 0;
        for (int i = 0; i < 20; i++) {
            try {
                caught += i % 3 == 0 ? nodes() : i % 3 == 1 ? list() : deep(200);
            } catch (OutOfMemoryError e) {
                caught++;
                byte[] room = new byte[1 << 20];
                if (room[i] != 0) System.out.println("dirty");
            }
        }
        System.out.println("caught " + caught);
    }
}
