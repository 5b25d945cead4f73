// vm: -Xmx24m
/** A loop that keeps only a queue's tail and deoptimises while it runs: no old node stays reachable. */
public final class Queue_tail {
    static final class Node {
        Node next;
        byte[] load = new byte[100];
    }

    interface Step {
        int of(int i);
    }

    static final class Same implements Step {
        @Override public int of(int i) { return i; }
    }

    static final class Next implements Step {
        @Override public int of(int i) { return i + 1; }
    }

    static final class Second implements Step {
        @Override public int of(int i) { return i + 2; }
    }

    public static void main(String[] args) {
        Node tail = new Node();
        Step step = new Same();
        long sum = 0;
        for (int i = 0; i < 1_200_000; i++) {
            Node node = new Node();
            tail.next = node;
            tail = node;
            if (i == 300_000) step = new Next();
            if (i == 600_000) step = new Second();
            sum += step.of(i);
        }
        System.out.println(sum + " " + tail.load.length);
    }
}
