import java.util.*;
import java.util.concurrent.*;
import java.util.stream.*;

/** Merge sort by fork-join tasks; or (streams) sums, groups and sorts of a parallel stream. */
public final class Forks {
    static final class Sort extends RecursiveAction {
        final int[] a, scratch;
        final int from, to;
        Sort(int[] a, int[] scratch, int from, int to) { this.a = a; this.scratch = scratch; this.from = from; this.to = to; }
        @Override protected void compute() {
            if (to - from <= 4096) {
                Arrays.sort(a, from, to);
                return;
            }
            int middle = (from + to) >>> 1;
            invokeAll(new Sort(a, scratch, from, middle), new Sort(a, scratch, middle, to));
            for (int i = from, j = middle, k = from; k < to; k++) scratch[k] = j == to || (i < middle && a[i] <= a[j]) ? a[i++] : a[j++];
            System.arraycopy(scratch, from, a, from, to - from);
        }
    }

    static long sorts(int rounds) {
        long sum = 0;
        for (int r = 0; r < rounds; r++) {
            int[] a = new Random(r).ints(400_000).toArray();
            ForkJoinPool.commonPool().invoke(new Sort(a, new int[a.length], 0, a.length));
            for (int i = 0; i < a.length; i += 1000) sum = 31 * sum + a[i];
        }
        return sum;
    }

    static long streams(int rounds) {
        long sum = 0;
        for (int r = 0; r < rounds; r++) {
            int seed = r;
            sum += LongStream.range(0, 1_000_000).parallel().map(i -> (i * 7919 + seed) % 10007).filter(i -> i % 3 == 0).sum();
            Map<Integer, Long> groups = IntStream.range(0, 100_000).parallel().boxed()
                .collect(Collectors.groupingByConcurrent(i -> (i * 31 + seed) % 17, Collectors.counting()));
            for (long n : groups.values()) sum = 31 * sum + n;
            sum += IntStream.range(0, 200_000).parallel().map(i -> i * 0x9E3779B9).sorted().limit(1000).asLongStream().sum();
        }
        return sum;
    }

    public static void main(String[] args) {
        int rounds = Integer.parseInt(args[1]);
        System.out.println(args[0].equals("streams") ? streams(rounds) : sorts(rounds));
    }
}
