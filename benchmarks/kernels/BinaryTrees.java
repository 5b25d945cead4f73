/** Builds and walks many short-lived binary trees beside a long-lived one. */
final class BinaryTrees implements Kernel {
    private static final class Node {
        final Node left, right;

        Node(Node left, Node right) {
            this.left = left;
            this.right = right;
        }

        int count() { return left == null ? 1 : 1 + left.count() + right.count(); }
    }

    private static Node build(int depth) {
        return depth == 0 ? new Node(null, null) : new Node(build(depth - 1), build(depth - 1));
    }

    @Override
    public long run() {
        Node keep = build(15);
        long sum = 0;
        for (int depth = 4; depth <= 14; depth += 2) {
            int times = 1 << 18 - depth;
            for (int i = 0; i < times; i++) sum += build(depth).count();
        }
        return sum * 31 + keep.count();
    }
}
