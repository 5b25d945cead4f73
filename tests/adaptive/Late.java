// Additions first, long enough that nothing else is expected; then a subtraction in every third call.
public class Late {
    abstract static class Step {
        abstract int step(int n);
    }
    static class Plus extends Step {
        int step(int n) { return n + 1; }
    }
    static class Minus extends Step {
        int step(int n) { return n - 1; }
    }

    static int sum;

    static void walk(Step s) { sum = s.step(sum); }

    static void walks(Step a, Step b) {
        walk(a);
        walk(b);
        walk(a);
    }

    public static void main(String[] args) {
        Step plus = new Plus(), minus = new Minus();
        for (int i = 0; i < 10000; i++) walks(plus, plus);
        int first = sum;
        for (int i = 0; i < 60000; i++) walks(plus, minus);
        System.out.println(first + " " + sum);
    }
}
