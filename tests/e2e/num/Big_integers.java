// BigInteger: arithmetic, radixes, bit operations, modular powers, primes, factorials.
import java.math.BigInteger;

public class Big_integers {
    public static void main(String[] args) {
        BigInteger f = BigInteger.ONE;
        for (int i = 2; i <= 60; i++) f = f.multiply(BigInteger.valueOf(i));
        System.out.println(f + " " + f.bitLength() + " " + f.getLowestSetBit() + " " + f.toString(36));
        BigInteger a = new BigInteger("-123456789012345678901234567890"), b = new BigInteger("987654321098765432109876543210");
        System.out.println(a.add(b) + " " + a.subtract(b) + " " + a.multiply(b) + " " + b.divide(a) + " " + b.remainder(a) + " " + a.mod(b) + " " + a.gcd(b));
        System.out.println(a.and(b) + " " + a.or(b) + " " + a.xor(b) + " " + a.not() + " " + a.andNot(b) + " " + a.shiftLeft(77) + " " + a.shiftRight(13) + " " + a.testBit(5) + " " + a.setBit(200).bitCount());
        System.out.println(BigInteger.TWO.pow(200).subtract(BigInteger.ONE).toString(16) + " " + new BigInteger("ff00ff00ff", 16) + " " + new BigInteger("-zz", 36));
        System.out.println(b.modPow(new BigInteger("65537"), new BigInteger("1000000007000000009")) + " " + b.modInverse(new BigInteger("1000000007")) + " " + BigInteger.valueOf(97).isProbablePrime(20) + " " + BigInteger.valueOf(91).isProbablePrime(20));
        System.out.println(a.longValue() + " " + a.intValue() + " " + a.doubleValue() + " " + f.floatValue() + " " + a.signum() + " " + a.hashCode() + " " + a.compareTo(b) + " " + a.equals(new BigInteger(a.toByteArray())));
        System.out.println(f.sqrt() + " " + java.util.Arrays.toString(b.divideAndRemainder(BigInteger.valueOf(-97))) + " " + BigInteger.valueOf(1000).nextProbablePrime());
        for (String s : new String[]{"", "-", "12x"}) {
            try {
                new BigInteger(s);
            } catch (NumberFormatException e) {
                System.out.println(e.getMessage());
            }
        }
        try {
            a.divide(BigInteger.ZERO);
        } catch (ArithmeticException e) {
            System.out.println(e.getMessage());
        }
        try {
            b.longValueExact();
        } catch (ArithmeticException e) {
            System.out.println(e.getMessage());
        }
        BigInteger x = BigInteger.ZERO, y = BigInteger.ONE;
        for (int i = 0; i < 300; i++) { BigInteger t = x.add(y); x = y; y = t; }
        System.out.println(x);
        BigInteger big = BigInteger.valueOf(3).pow(3000), big2 = BigInteger.valueOf(7).pow(2500);
        System.out.println(big.multiply(big2).hashCode() + " " + big.multiply(big).equals(big.pow(2)) + " " + big2.divide(big).hashCode());
    }
}
