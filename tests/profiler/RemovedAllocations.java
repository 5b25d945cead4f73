// Objects that escape analysis removes in compiled code, and some that are made after all on rare paths: nested branches
// make them rare for the compiler too, seven of them so rare that a call of the VM makes the object.
public class RemovedAllocations {
    record Pair(int a, int b) { }

    static Object kept;
    static Integer box;

    static boolean rare(int i) {
        return (i & 1) == 0 && (i & 2) == 0 && (i & 4) == 0 && (i & 8) == 0;
    }

    static boolean veryRare(int i) {
        return rare(i) && (i & 16) == 0 && (i & 32) == 0 && (i & 64) == 0;
    }

    static int never(int i) {
        Pair p = new Pair(i, 1);
        int[] two = {p.a, p.b};
        return p.a + two.length - 2;
    }

    static int sometimes(int i) {
        Pair p = new Pair(i, i);
        if (rare(i)) kept = p;
        return p.b;
    }

    static int either(int i) {
        Pair p = (i & 1) == 0 ? new Pair(i, 2) : new Pair(2, i);
        if (rare(i)) kept = p;
        return p.a + p.b - 2;
    }

    static int boxed(int i) {
        Integer x = i;
        if (rare(i)) {
            box = x;
            return i;
        }
        return x;
    }

    static int boxedByCall(int i) {
        Integer x = i;
        if (veryRare(i)) {
            box = x;
            return i;
        }
        return x;
    }

    static int byCall(int i) {
        Pair p = (i & 1) == 0 ? new Pair(i, 2) : new Pair(2, i);
        if (veryRare(i)) kept = p;
        return p.a + p.b - 2;
    }

    static int arrays(int i) {
        byte[] bytes = new byte[i & 63];
        kept = bytes;
        return bytes.length - (i & 63) + i;
    }

    static int thrown(int i) {
        Pair p = new Pair(i, 0);
        try {
            if (i % 41 == 0) throw new IllegalStateException();
            return p.a;
        } catch (IllegalStateException e) {
            kept = p;
            return p.a;
        }
    }

    static long all(int i) {
        return (long) never(i) + sometimes(i) + either(i) + boxed(i) + arrays(i) + thrown(i) + boxedByCall(i) + byCall(i);
    }

    public static void main(String[] args) {
        int n = Integer.parseInt(args[0]);
        long sum = 0;
        for (int i = 0; i < n; i++) sum += all(i);
        System.out.println(sum);
    }
}
