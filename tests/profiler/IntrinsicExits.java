// Methods that the VM implements itself, in each form that compiled code has for them: with instructions, with a call of
// the VM, with a fast path; returning and throwing.
public class IntrinsicExits {
    public static void main(String[] args) {
        int sum = 0, n = Integer.parseInt(args[0]);
        int[] from = new int[10], to = new int[10];
        String text = "hello world";
        for (int i = 0; i < n; i++) {
            sum += Math.max(i, 3) + Math.abs(-i) + Integer.bitCount(i) + (int) Math.sqrt(i);
            sum += text.charAt(i % 5) + text.length() + (text.equals("hello" + i) ? 1 : 0);
            sum += from.clone().length + System.identityHashCode(null) + Integer.numberOfLeadingZeros(i);
            System.arraycopy(from, 0, to, 0, 10);
            try {
                System.arraycopy(from, 0, to, 5, 10);
            } catch (ArrayIndexOutOfBoundsException e) {
                sum++;
            }
        }
        System.out.println(sum);
    }
}
