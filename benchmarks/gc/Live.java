/**
 * A heap of which MB megabytes live, in small objects, one of which in eight is replaced now and then while garbage of a few
 * sizes is made beside them: java Live MB SECONDS. Prints operations a millisecond, in each of which about 200 bytes are
 * allocated, and how long a full collection takes at the end. The sizes are those of objects with 64-bit references; a VM with shorter ones keeps less.
 */
public final class Live {
    static final class Node {
        Node left, right;
        long a, b, c, d;  // 64 bytes with its header

        Node(Node left, Node right, long a) {
            this.left = left;
            this.right = right;
            this.a = a;
        }
    }

    static final int DEPTH = 10;  // 2047 nodes, 128 KB

    static Node tree(int depth, long value) {
        return depth == 0 ? new Node(null, null, value) : new Node(tree(depth - 1, value), tree(depth - 1, value + 1), value);
    }

    static long walk(Node n, int steps, long way) {
        long sum = 0;
        for (; steps > 0 && n != null; steps--, way >>>= 1) {
            sum += n.a;
            n = (way & 1) == 0 ? n.left : n.right;
        }
        return sum;
    }

    static long state = 88172645463325252L;

    static long random() {
        state ^= state << 13;
        state ^= state >>> 7;
        return state ^= state << 17;
    }

    // Garbage of a few sizes, a walk through what lives, and now and then a new leaf there.
    static long operation(Node[] trees, long r) {
        Node n = new Node(null, null, r);
        int[] numbers = new int[(int) (r >>> 40 & 15)];
        Object[] pair = {n, numbers};
        Node top = trees[(int) ((r >>> 1) % trees.length)];
        long sum = walk(top, 6, r >>> 20) + pair.length + numbers.length;
        if ((r >>> 50 & 7) == 0) top.left = tree(1, sum);
        return sum;
    }

    public static void main(String[] args) {
        long bytes = Long.parseLong(args[0]) << 20;
        double seconds = Double.parseDouble(args[1]);
        Node[] trees = new Node[Math.max(1, (int) (bytes / (2047 * 64)))];
        for (int i = 0; i < trees.length; i++) trees[i] = tree(DEPTH, i);
        long sum = 0, done = 0, begin = 0, now = 0;
        // A third of the time is for warming up.
        for (int stretch = 0; stretch < 2; stretch++) {
            begin = System.nanoTime();
            done = 0;
            do {
                for (int i = 0; i < 1000; i++) {
                    sum += operation(trees, random() >>> 1);
                    if (i == 500) trees[(int) ((random() >>> 1) % trees.length)] = tree(DEPTH, i);
                }
                done += 1000;
                now = System.nanoTime();
            } while (now - begin < seconds * 1e9 / (stretch == 0 ? 3 : 1.5));
            if (stretch == 0) System.out.println("measured");
        }
        System.out.printf("%d operations in %d ms%n", done, (now - begin) / 1000000);
        begin = System.nanoTime();
        System.gc();
        System.out.printf("System.gc() in %d ms, %d trees%n", (System.nanoTime() - begin) / 1000000, trees.length);
        if (sum == 0) System.out.println("nothing");
    }
}
