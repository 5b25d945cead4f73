/**
 * Chains of calls, some to methods whose checks are part of their callers' samples, and cycles of calls. Some cycles
 * arise after compilation: by a class that overrides a callee, or by a call not executed before.
 */
public final class CopiesChains {
    private static int sum;

    private static int last(int x) {
        return sum += x & 3;
    }

    private static int third(int x) {
        sum++;
        return last(x) + last(x + 1);
    }

    private static int second(int x) {
        return third(x) ^ last(x);
    }

    private static int first(int x) {
        return second(x) + last(x);
    }

    // A cycle from the start.
    private static int even(int n) {
        return n == 0 ? last(n) : odd(n - 1) + 1;
    }

    private static int odd(int n) {
        return n == 0 ? sum : even(n - 1) + 1;
    }

    static class Hook {
        int call(int depth) {
            return sum += depth;
        }
    }

    // Loaded long after hooked() is compiled for Hook alone.
    static final class Back extends Hook {
        @Override
        int call(int depth) {
            return depth == 0 ? 0 : hooked(this, depth - 1) + 1;
        }
    }

    private static int hooked(Hook h, int depth) {
        return h.call(depth) + last(depth);
    }

    private static int above(Hook h, int depth) {
        return hooked(h, depth) + 1;
    }

    // Its second call first executes after compilation.
    private static int cold(int x) {
        return x < 100 ? last(x) : Late.call(x);
    }

    private static final class Late {
        static int call(int x) {
            return cold(x - 100) + last(x);
        }
    }

    private static int throwing(int x) {
        if (last(x) % 5 == 0) throw new IllegalStateException();
        return x;
    }

    private static int between(int x) {
        return throwing(x) + last(x);
    }

    private static int catching(int x) {
        try {
            return between(x);
        } catch (IllegalStateException e) {
            return last(x);
        }
    }

    private static int work(int i, Hook h) {
        return first(i) + even(i % 9) + above(h, i % 11) + cold(i % 100) + catching(i);
    }

    public static void main(String[] args) throws Exception {
        int times = args.length > 0 ? Integer.parseInt(args[0]) : 400;
        // With -Xjit:compile-all, callees are compiled before their callers.
        int result = last(1) + third(1) + second(1) + first(1) + even(1) + throwing(1) + between(1) + catching(1) + new Hook().call(1) + hooked(new Hook(), 1)
            + above(new Hook(), 1);
        for (int i = 0; i < times; i++) result += work(i, new Hook());
        Hook back = (Hook) Class.forName("CopiesChains$Back").getDeclaredConstructor().newInstance();
        for (int i = 0; i < times; i++) result += work(i, back) + cold(i % 400);
        System.out.println(result + " " + sum);
    }
}
