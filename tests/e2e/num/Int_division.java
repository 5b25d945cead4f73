// Division and remainder of int and long: signs, extremes, by zero, floorDiv and friends.
public class Int_division {
    public static void main(String[] args) {
        int[] xs = {0, 1, -1, 2, -2, 7, -7, 100, Integer.MAX_VALUE, Integer.MIN_VALUE, Integer.MIN_VALUE + 1};
        long h = 17;
        for (int a : xs) {
            for (int b : xs) {
                try {
                    h = h * 31 + a / b;
                    h = h * 31 + a % b;
                    h = h * 31 + Math.floorDiv(a, b) + 3L * Math.floorMod(a, b);
                    h = h * 31 + Integer.divideUnsigned(a, b) + Integer.remainderUnsigned(a, b);
                } catch (ArithmeticException e) {
                    h = h * 31 + e.getMessage().hashCode();
                }
            }
        }
        System.out.println(h);
        long[] ls = {0, 1, -1, 3, -3, 10, -10, 1L << 32, -(1L << 32), Long.MAX_VALUE, Long.MIN_VALUE};
        for (long a : ls) {
            StringBuilder s = new StringBuilder();
            for (long b : ls) {
                try {
                    s.append(a / b).append('/').append(a % b).append('/').append(Math.floorMod(a, b)).append('/').append(Long.divideUnsigned(a, b)).append(' ');
                } catch (ArithmeticException e) {
                    s.append(e.getMessage()).append(' ');
                }
            }
            System.out.println(s);
        }
        try {
            System.out.println(5 % (xs[0]));
        } catch (ArithmeticException e) {
            System.out.println(e);
        }
        try {
            System.out.println(5L / ls[0]);
        } catch (ArithmeticException e) {
            System.out.println(e);
        }
    }
}
