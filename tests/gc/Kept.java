/** Builds a tree of 60 MB at once and keeps it while garbage is made: prints "kept fine". */
public final class Kept {
    private static final int DEPTH = 20;

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

    public static void main(String[] args) {
        Node kept = build(DEPTH);
        int garbage = 0;
        for (int i = 0; i < 100; i++) garbage += build(15).count();
        boolean fine = kept.count() == (2 << DEPTH) - 1 && garbage == 100 * ((2 << 15) - 1);
        System.out.println(fine ? "kept fine" : "lost");
    }
}
