// timeout: 150
// Products, squares and powers of large numbers, of every length up to some hundred bits and selected larger ones, with
// leading and inner zeros and with all ones; each is also checked by division.
import java.math.BigInteger;
import java.util.*;

public class Big_products {
    static final Random random = new Random(3);
    static long sum;

    static void add(BigInteger b) { sum = sum * 31 + b.hashCode(); }

    static BigInteger number(int bits) {
        switch (random.nextInt(5)) {
            case 0: return BigInteger.ONE.shiftLeft(bits).subtract(BigInteger.ONE);
            case 1: return BigInteger.ONE.shiftLeft(Math.max(bits - 1, 0));
            case 2: return new BigInteger(bits, random).setBit(Math.max(bits - 1, 0)).andNot(BigInteger.ONE.shiftLeft(bits / 2).subtract(BigInteger.ONE));
            default: return new BigInteger(bits, random).setBit(Math.max(bits - 1, 0));
        }
    }

    static void check(boolean holds) {
        if (!holds) throw new AssertionError();
    }

    static void products(int n, int m) {
        BigInteger a = number(n), b = number(m), c = a.multiply(b), s = a.multiply(a), q = a.pow(2);
        check(s.equals(q) && c.equals(b.multiply(a)));
        if (b.signum() != 0) check(c.divide(b).equals(a) && c.mod(b).signum() == 0);
        check(a.add(b).pow(2).equals(s.add(c.shiftLeft(1)).add(b.multiply(b))));
        add(c);
        add(s.negate());
    }

    static void powers(int bits) {
        BigInteger m = number(bits).setBit(0), a = number(bits + 3), e = number(20 + random.nextInt(30));
        if (m.equals(BigInteger.ONE)) m = BigInteger.TWO.add(m);
        BigInteger p = a.modPow(e, m), slow = BigInteger.ONE;
        for (int i = e.bitLength() - 1; i >= 0; i--) {
            slow = slow.multiply(slow).mod(m);
            if (e.testBit(i)) slow = slow.multiply(a).mod(m);
        }
        check(p.equals(slow));
        add(p);
        add(a.modPow(e, m.shiftLeft(3)));
        if (a.gcd(m).equals(BigInteger.ONE)) check(a.modInverse(m).multiply(a).mod(m).equals(BigInteger.ONE));
    }

    public static void main(String[] args) {
        for (int round = 0; round < 4; round++)
            for (int n = 0; n < 330; n++) products(n, random.nextInt(330));
        for (int n = 330; n < 20000; n += 97 + n / 3) for (int k = 0; k < 20; k++) products(n + random.nextInt(64), 1 + random.nextInt(2 * n));
        System.out.println(sum);
        for (int bits = 2; bits < 400; bits += 1 + bits / 40) for (int k = 0; k < 8; k++) powers(bits);
        for (int bits : new int[] {512, 1000, 1024, 2047, 2048, 4096, 8160, 8192, 8224, 16352, 16400}) powers(bits);
        System.out.println(sum);
        BigInteger p = BigInteger.TWO.pow(2203).subtract(BigInteger.ONE);
        System.out.println(p.isProbablePrime(5) + " " + p.add(BigInteger.TWO).isProbablePrime(5) + " " + BigInteger.TWO.modPow(p.subtract(BigInteger.ONE), p));
        BigInteger f = BigInteger.ONE;
        for (int i = 1; i < 1500; i++) f = f.multiply(BigInteger.valueOf(i));
        System.out.println(f.hashCode() + " " + f.toString().hashCode() + " " + new BigInteger(f.toString()).equals(f));
    }
}
