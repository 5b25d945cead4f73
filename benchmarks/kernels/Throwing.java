/** Exceptions as control flow: thrown here and there, with and without traces, caught near and far. */
final class Throwing implements Kernel {
    private static final class Light extends RuntimeException {
        private static final long serialVersionUID = 1;
        final int v;

        Light(int v) {
            super(null, null, false, false);
            this.v = v;
        }
    }

    private static int near(int i) {
        try {
            if (i % 3 == 0) throw new Light(i);
            return 1;
        } catch (Light l) {
            return l.v & 7;
        }
    }

    private static int far(int depth, int i) {
        if (depth == 0) throw i % 50 == 0 ? new IllegalStateException("heavy " + i) : new Light(i);
        try {
            return far(depth - 1, i) + 1;
        } finally {
            steps++;
        }
    }

    private static int implicit(int[] a, int i) {
        try {
            return a[i] / (i % 4);
        } catch (ArithmeticException e) {
            return -1;
        } catch (ArrayIndexOutOfBoundsException e) {
            return -2;
        }
    }

    private static long steps;

    @Override
    public long run() {
        steps = 0;
        long sum = 0;
        int[] a = new int[16];
        for (int i = 0; i < 500_000; i++) {
            sum = sum * 3 + near(i);
            if (i % 4 == 0) {
                try {
                    far(12, i);
                } catch (Light l) {
                    sum += l.v;
                } catch (IllegalStateException e) {
                    sum += e.getMessage().length();
                }
            }
            if (i % 5 == 0) sum += implicit(a, i % 20);
        }
        return sum * 31 + steps;
    }
}
