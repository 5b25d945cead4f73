import java.util.*;

/** Hand-written quicksort and heap on int[], and the library's sort of objects with a comparator that calls back. */
final class Sorting implements Kernel {
    private static final int N = 200_000;

    private static int[] numbers() {
        int[] a = new int[N];
        int seed = 17;
        for (int i = 0; i < N; i++) a[i] = (seed = seed * 1103515245 + 12345) >>> 8;
        return a;
    }

    private static void quick(int[] a, int lo, int hi) {
        while (lo < hi) {
            int p = a[lo + hi >>> 1], i = lo, j = hi;
            while (i <= j) {
                while (a[i] < p) i++;
                while (a[j] > p) j--;
                if (i <= j) {
                    int t = a[i];
                    a[i++] = a[j];
                    a[j--] = t;
                }
            }
            if (j - lo < hi - i) {
                quick(a, lo, j);
                lo = i;
            } else {
                quick(a, i, hi);
                hi = j;
            }
        }
    }

    private static void heap(int[] a) {
        for (int i = a.length / 2 - 1; i >= 0; i--) sift(a, i, a.length);
        for (int end = a.length - 1; end > 0; end--) {
            int t = a[0];
            a[0] = a[end];
            a[end] = t;
            sift(a, 0, end);
        }
    }

    private static void sift(int[] a, int i, int n) {
        for (int c; (c = 2 * i + 1) < n; i = c) {
            if (c + 1 < n && a[c + 1] > a[c]) c++;
            if (a[i] >= a[c]) return;
            int t = a[i];
            a[i] = a[c];
            a[c] = t;
        }
    }

    @Override
    public long run() {
        int[] a = numbers(), b = a.clone();
        quick(a, 0, N - 1);
        heap(b);
        long sum = Arrays.equals(a, b) ? 1 : 0;
        Integer[] boxed = new Integer[70_000];
        int[] fresh = numbers();
        for (int i = 0; i < boxed.length; i++) boxed[i] = fresh[i];
        Arrays.sort(boxed, (x, y) -> Integer.compare(x & 0xffff, y & 0xffff));
        for (int i = 0; i < N; i += 5) sum = sum * 31 + a[i];
        for (Integer x : boxed) sum = sum * 7 + x;
        return sum;
    }
}
