// BigDecimal: scale, rounding modes, division, string forms, MathContext.
import java.math.*;

public class Big_decimals {
    public static void main(String[] args) {
        BigDecimal[] xs = {new BigDecimal("5.5"), new BigDecimal("2.5"), new BigDecimal("1.1"), new BigDecimal("1.0"), new BigDecimal("-1.1"), new BigDecimal("-2.5"), new BigDecimal("-5.5")};
        for (RoundingMode m : RoundingMode.values()) {
            StringBuilder s = new StringBuilder(m + ":");
            for (BigDecimal x : xs) {
                try {
                    s.append(' ').append(x.setScale(0, m));
                } catch (ArithmeticException e) {
                    s.append(" [").append(e.getMessage()).append(']');
                }
            }
            System.out.println(s);
        }
        BigDecimal a = new BigDecimal("123.4500"), b = new BigDecimal("0.00078"), c = new BigDecimal(0.1), d = BigDecimal.valueOf(0.1);
        System.out.println(a.add(b) + " " + a.subtract(b) + " " + a.multiply(b) + " " + a.divide(b, 10, RoundingMode.HALF_EVEN) + " " + a.remainder(b) + " " + a.stripTrailingZeros() + " " + a.negate().abs().scale() + " " + a.precision() + " " + a.unscaledValue());
        System.out.println(c + " " + d + " " + c.equals(d) + " " + new BigDecimal("2.0").equals(new BigDecimal("2.00")) + " " + new BigDecimal("2.0").compareTo(new BigDecimal("2.00")) + " " + new BigDecimal("2.0").hashCode() + " " + new BigDecimal("2.00").hashCode());
        try {
            BigDecimal.ONE.divide(BigDecimal.valueOf(3));
        } catch (ArithmeticException e) {
            System.out.println(e.getMessage());
        }
        System.out.println(BigDecimal.ONE.divide(BigDecimal.valueOf(3), MathContext.DECIMAL128) + " " + BigDecimal.TEN.divide(BigDecimal.valueOf(4)) + " " + new BigDecimal("1e10").toPlainString() + " " + new BigDecimal("1e10") + " " + new BigDecimal("1E-12").toEngineeringString() + " " + new BigDecimal("12345E5").toEngineeringString());
        System.out.println(new BigDecimal("1234567890.0987654321").round(new MathContext(7)) + " " + new BigDecimal(2).sqrt(new MathContext(40)) + " " + new BigDecimal("1.1").pow(20) + " " + new BigDecimal("9.99").movePointLeft(3) + " " + new BigDecimal("9.99").scaleByPowerOfTen(5));
        System.out.println(new BigDecimal("12.9").intValue() + " " + new BigDecimal("1e400").doubleValue() + " " + new BigDecimal("123456789012345678901").longValue() + " " + new BigDecimal("100").toBigIntegerExact() + " " + new BigDecimal("3.7").toBigInteger());
        try {
            new BigDecimal("3.7").intValueExact();
        } catch (ArithmeticException e) {
            System.out.println(e.getMessage());
        }
        try {
            new BigDecimal("1.2.3");
        } catch (NumberFormatException e) {
            System.out.println(e.getMessage());
        }
        BigDecimal e = BigDecimal.ONE, term = BigDecimal.ONE;
        for (int i = 1; i < 40; i++) { term = term.divide(BigDecimal.valueOf(i), 50, RoundingMode.DOWN); e = e.add(term); }
        System.out.println(e);
    }
}
