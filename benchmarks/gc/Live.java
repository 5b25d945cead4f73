/**
 * A heap with MB megabytes of live small objects, an eighth of which are replaced now and then while garbage of a few
 * sizes is allocated: java Live MB SECONDS. Prints operations per millisecond, each of which allocates about 200 bytes,
 * and the duration of a full collection at the end. Sizes assume 64-bit references; with shorter ones less is live.
 */
public final class Live {
    static final class Node {
        Node left, right;
        long a, b, c, d;  // 64 bytes including its header

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

    // Allocates garbage of a few sizes, walks through live objects, and now and then replaces a leaf.
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
        // A third of the time is warm-up.
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
