/** The naive Fibonacci recursion: static calls and nothing else. */
final class Fib implements Kernel {
    private static int fib(int n) { return n < 2 ? n : fib(n - 1) + fib(n - 2); }

    @Override
    public long run() { return fib(33); }
}
