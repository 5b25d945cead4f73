// Phases by construction: `Phases SCRIPT`, where each letter is a stretch of the execution.
//   a   three methods, called in turn
//   b   three others
//   c   many different ones: 8 callers of 8 methods each
//   d   as c, with other methods
//   n   a loop without calls
//   p   walks lists in a non-repeating order, reading an element of a large array after each node
//   q   as p, over other lists
// A digit after a letter repeats the stretch that many times. Prints a sum, so that nothing is optimised away.
public class Phases {
    static int sum;

    static int a0(int n) { return n + 1; }
    static int a1(int n) { return n ^ 3; }
    static int a2(int n) { return n * 5; }
    static int b0(int n) { return n - 1; }
    static int b1(int n) { return n | 4; }
    static int b2(int n) { return n * 7; }

    static void a() { for (int i = 0; i < LENGTH; i++) sum = a2(a1(a0(sum))); }
    static void b() { for (int i = 0; i < LENGTH; i++) sum = b2(b1(b0(sum))); }
    static void n() {
        int s = sum;
        for (int i = 0; i < 4 * LENGTH; i++) s = s * 31 + i;
        sum = s;
    }

    interface Step { int go(int n, int k); }
    static int leaf(int n, int k) { return n * 31 + k; }
    static int m0(int n, int k) { return leaf(n, k); }
    static int m1(int n, int k) { return leaf(n, k + 1); }
    static int m2(int n, int k) { return leaf(n, k + 2); }
    static int m3(int n, int k) { return leaf(n, k + 3); }
    static int m4(int n, int k) { return leaf(n, k + 4); }
    static int m5(int n, int k) { return leaf(n, k + 5); }
    static int m6(int n, int k) { return leaf(n, k + 6); }
    static int m7(int n, int k) { return leaf(n, k + 7); }
    static int o0(int n, int k) { return leaf(n, k); }
    static int o1(int n, int k) { return leaf(n, k ^ 1); }
    static int o2(int n, int k) { return leaf(n, k ^ 2); }
    static int o3(int n, int k) { return leaf(n, k ^ 3); }
    static int o4(int n, int k) { return leaf(n, k ^ 4); }
    static int o5(int n, int k) { return leaf(n, k ^ 5); }
    static int o6(int n, int k) { return leaf(n, k ^ 6); }
    static int o7(int n, int k) { return leaf(n, k ^ 7); }

    static int c0(int n, int k) { return (k & 1) == 0 ? m0(n, k) : m1(n, k); }
    static int c1(int n, int k) { return (k & 2) == 0 ? m1(n, k) : m2(n, k); }
    static int c2(int n, int k) { return (k & 4) == 0 ? m2(n, k) : m3(n, k); }
    static int c3(int n, int k) { return (k & 1) == 0 ? m3(n, k) : m4(n, k); }
    static int c4(int n, int k) { return (k & 2) == 0 ? m4(n, k) : m5(n, k); }
    static int c5(int n, int k) { return (k & 4) == 0 ? m5(n, k) : m6(n, k); }
    static int c6(int n, int k) { return (k & 1) == 0 ? m6(n, k) : m7(n, k); }
    static int c7(int n, int k) { return (k & 2) == 0 ? m7(n, k) : m0(n, k); }
    static int d0(int n, int k) { return (k & 1) == 0 ? o0(n, k) : o1(n, k); }
    static int d1(int n, int k) { return (k & 2) == 0 ? o1(n, k) : o2(n, k); }
    static int d2(int n, int k) { return (k & 4) == 0 ? o2(n, k) : o3(n, k); }
    static int d3(int n, int k) { return (k & 1) == 0 ? o3(n, k) : o4(n, k); }
    static int d4(int n, int k) { return (k & 2) == 0 ? o4(n, k) : o5(n, k); }
    static int d5(int n, int k) { return (k & 4) == 0 ? o5(n, k) : o6(n, k); }
    static int d6(int n, int k) { return (k & 1) == 0 ? o6(n, k) : o7(n, k); }
    static int d7(int n, int k) { return (k & 2) == 0 ? o7(n, k) : o0(n, k); }
    static final Step[] C = {Phases::c0, Phases::c1, Phases::c2, Phases::c3, Phases::c4, Phases::c5, Phases::c6, Phases::c7};
    static final Step[] D = {Phases::d0, Phases::d1, Phases::d2, Phases::d3, Phases::d4, Phases::d5, Phases::d6, Phases::d7};

    // A generator sets the order, so that it does not resonate with the sampling.
    static void many(Step[] steps) {
        int r = 12345;
        for (int i = 0; i < LENGTH; i++) {
            r = r * 1103515245 + 12345;
            sum = steps[r >>> 29].go(sum, r >>> 16 & 7);
        }
    }

    static final class Node {
        int value;
        Node next;
        Node(int value, Node next) { this.value = value; this.next = next; }
    }
    static final Node[] P = new Node[12], Q = new Node[12];
    static final int[] LARGE = new int[1 << 16];
    static int seed = 1;

    static void makeLists(Node[] lists) {
        for (int i = 0; i < lists.length; i++)
            for (int k = 0; k < 4 + i; k++) lists[i] = new Node(k * 7, lists[i]);
    }

    static int walkP(Node n) {
        int s = 0;
        for (; n != null; n = n.next) s += n.value;
        return s;
    }

    static int walkQ(Node n) {
        int s = 0;
        for (; n != null; n = n.next) s ^= n.value;
        return s;
    }

    static void p() {
        for (int i = 0, r = seed; i < LENGTH / 4; i++, seed = r) {
            r = r * 1103515245 + 12345;
            sum += walkP(P[(r >>> 16 & 0xfff) % P.length]) + LARGE[r >>> 12 & LARGE.length - 1];
        }
    }

    static void q() {
        for (int i = 0, r = seed; i < LENGTH / 4; i++, seed = r) {
            r = r * 1103515245 + 12345;
            sum += walkQ(Q[(r >>> 16 & 0xfff) % Q.length]) + LARGE[r >>> 12 & LARGE.length - 1];
        }
    }

    static final int LENGTH = Integer.getInteger("length", 20000);

    static void stretch(char what) {
        switch (what) {
        case 'a': a(); break;
        case 'b': b(); break;
        case 'c': many(C); break;
        case 'd': many(D); break;
        case 'n': n(); break;
        case 'p': p(); break;
        case 'q': q(); break;
        default: throw new IllegalArgumentException("no stretch " + what);
        }
    }

    public static void main(String[] args) {
        char last = 'a';
        makeLists(P);
        makeLists(Q);
        for (char c : args[0].toCharArray()) {
            if (c < '0' || c > '9') stretch(last = c);
            else for (int i = 1; i < c - '0'; i++) stretch(last);
        }
        System.out.println(sum);
    }
}
