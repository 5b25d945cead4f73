/**
 * A thread makes about 2^30 calls without a loop: a tree of calls whose leaves are short recursions of two methods. The
 * world is stopped meanwhile. Prints whether the thread is still running then.
 */
public final class CopiesTree {
    private static volatile boolean reached;
    private static int sum;

    private static int even(int n) {
        return n == 0 ? 1 : odd(n - 1);
    }

    private static int odd(int n) {
        return n == 0 ? 0 : even(n - 1);
    }

    private static int node28(int x) { return node27(x) + node27(x + 1); }
    private static int node27(int x) { return node26(x) + node26(x + 1); }
    private static int node26(int x) { return node25(x) + node25(x + 1); }
    private static int node25(int x) { return node24(x) + node24(x + 1); }
    private static int node24(int x) { return node23(x) + node23(x + 1); }
    private static int node23(int x) { return node22(x) + node22(x + 1); }
    private static int node22(int x) { return node21(x) + node21(x + 1); }
    private static int node21(int x) { return node20(x) + node20(x + 1); }
    private static int node20(int x) { return node19(x) + node19(x + 1); }
    private static int node19(int x) { return node18(x) + node18(x + 1); }
    private static int node18(int x) { return node17(x) + node17(x + 1); }
    private static int node17(int x) { return node16(x) + node16(x + 1); }
    private static int node16(int x) { return node15(x) + node15(x + 1); }
    private static int node15(int x) { return node14(x) + node14(x + 1); }
    private static int node14(int x) { return node13(x) + node13(x + 1); }
    private static int node13(int x) { return node12(x) + node12(x + 1); }
    private static int node12(int x) { return node11(x) + node11(x + 1); }
    private static int node11(int x) { return node10(x) + node10(x + 1); }
    private static int node10(int x) { return node9(x) + node9(x + 1); }
    private static int node9(int x) { return node8(x) + node8(x + 1); }
    private static int node8(int x) { return node7(x) + node7(x + 1); }
    private static int node7(int x) { return node6(x) + node6(x + 1); }
    private static int node6(int x) { return node5(x) + node5(x + 1); }
    private static int node5(int x) { return node4(x) + node4(x + 1); }
    private static int node4(int x) { return node3(x) + node3(x + 1); }
    private static int node3(int x) { return node2(x) + node2(x + 1); }
    private static int node2(int x) { return node1(x) + node1(x + 1); }
    private static int node1(int x) { return node0(x) + node0(x + 1); }
    private static int node0(int x) { return leaf(x & 3); }

    private static int leaf(int n) {
        if (n == 3) reached = true;
        return even(n);
    }


    private static void run() {
        sum = node28(1);
    }

    public static void main(String[] args) throws Exception {
        Thread thread = new Thread(CopiesTree::run);
        thread.setDaemon(true);
        thread.start();
        while (!reached) Thread.onSpinWait();
        for (int i = 0; i < 10; i++) {
            Thread.sleep(20);
            System.gc();
        }
        System.out.println(thread.isAlive());
    }
}
