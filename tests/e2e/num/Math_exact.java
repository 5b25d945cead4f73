// Exact arithmetic, multiplyHigh, unsigned operations, bit twiddling on int and long.
public class Math_exact {
    interface Op { Object run(); }

    static void t(String what, Op op) {
        try {
            System.out.println(what + " " + op.run());
        } catch (ArithmeticException e) {
            System.out.println(what + " " + e.getMessage());
        }
    }

    public static void main(String[] args) {
        int max = Integer.MAX_VALUE, min = Integer.MIN_VALUE;
        long lmax = Long.MAX_VALUE, lmin = Long.MIN_VALUE;
        t("add", () -> Math.addExact(max, 1));
        t("add", () -> Math.addExact(max, -1));
        t("addL", () -> Math.addExact(lmax, 1L));
        t("sub", () -> Math.subtractExact(min, 1));
        t("subL", () -> Math.subtractExact(lmin, 1L));
        t("mul", () -> Math.multiplyExact(65536, 32768));
        t("mul", () -> Math.multiplyExact(65536, 32767));
        t("mulL", () -> Math.multiplyExact(lmax, 2L));
        t("mulL", () -> Math.multiplyExact(lmin, -1L));
        t("mulLI", () -> Math.multiplyExact(3037000499L, 3));
        t("inc", () -> Math.incrementExact(max));
        t("dec", () -> Math.decrementExact(lmin));
        t("neg", () -> Math.negateExact(min));
        t("toInt", () -> Math.toIntExact(1L << 31));
        t("absExact", () -> Math.absExact(min));
        t("high", () -> Math.multiplyHigh(lmax, lmax) + " " + Math.multiplyHigh(lmin, 3) + " " + Math.multiplyFull(max, min));
        t("floorMod", () -> Math.floorMod(-7, 3) + " " + Math.floorDiv(-7, 3) + " " + Math.floorMod(-7L, 3));
        int[] xs = {0, 1, -1, max, min, 0x12345678, 0x80000001, 255};
        for (int x : xs) {
            System.out.println(Integer.bitCount(x) + " " + Integer.numberOfLeadingZeros(x) + " " + Integer.numberOfTrailingZeros(x) + " " + Integer.highestOneBit(x) + " " + Integer.lowestOneBit(x) + " " + Integer.reverse(x) + " " + Integer.reverseBytes(x)
                + " " + Integer.rotateLeft(x, 7) + " " + Integer.rotateRight(x, 33) + " " + Integer.signum(x) + " " + Integer.toUnsignedString(x) + " " + Integer.toHexString(x) + " " + Integer.toBinaryString(x) + " " + Integer.toOctalString(x) + " " + Integer.compareUnsigned(x, 5));
            long l = (long) x * 0x100000003L ^ x;
            System.out.println(Long.bitCount(l) + " " + Long.numberOfLeadingZeros(l) + " " + Long.numberOfTrailingZeros(l) + " " + Long.highestOneBit(l) + " " + Long.reverse(l) + " " + Long.reverseBytes(l) + " " + Long.rotateLeft(l, 70) + " " + Long.toUnsignedString(l) + " " + Long.toHexString(l) + " " + Long.hashCode(l) + " " + Long.compareUnsigned(l, -5));
        }
        System.out.println(Short.reverseBytes((short) 0x1234) + " " + Character.reverseBytes('\u1234') + 0 + " " + Short.toUnsignedInt((short) -1) + " " + Byte.toUnsignedInt((byte) -1) + " " + Byte.compareUnsigned((byte) -1, (byte) 1));
    }
}
