import java.util.*;

/** ArrayList, LinkedList, ArrayDeque and iterators through their interfaces. */
final class ListMix implements Kernel {
    private static long churn(List<Integer> l, int n) {
        for (int i = 0; i < n; i++) l.add(i * 31 % 997);
        long s = 0;
        for (int round = 0; round < 6; round++) {
            for (Integer x : l) s = s * 7 + x;
            for (ListIterator<Integer> it = l.listIterator(); it.hasNext(); ) {
                int x = it.next();
                if (x % 11 == round) it.remove(); else if (x % 13 == 0) it.set(x + 1);
            }
        }
        return s + l.size();
    }

    private static long stack(int n) {
        long sum = 0;
        Deque<int[]> d = new ArrayDeque<>();
        for (int i = 0; i < n; i++) {
            d.addLast(new int[]{i, i * 3});
            if (d.size() > 50) {
                int[] x = (i & 1) == 0 ? d.pollFirst() : d.pollLast();
                sum = sum * 5 + x[0] - x[1];
            }
        }
        return sum;
    }

    private static long swaps(int n) {
        List<Integer> a = new ArrayList<>();
        for (int i = 0; i < n; i++) a.add(i ^ 21);
        for (int i = 0; i + 1 < a.size(); i++) if (a.get(i) > a.get(i + 1)) Collections.swap(a, i, i + 1);
        long sum = 0;
        for (int i = 0; i < a.size(); i += 3) sum += (long) a.get(i) * i;
        return sum;
    }

    @Override
    public long run() {
        long sum = 0;
        for (int round = 0; round < 5; round++) {
            sum = sum * 31 + churn(new ArrayList<>(), 5000 + round) + churn(new LinkedList<>(), 12_000);
            sum = sum * 31 + stack(120_000) + swaps(30_000 + round);
        }
        return sum;
    }
}
