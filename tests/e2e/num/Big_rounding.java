// BigDecimal: rounding modes, scales, contexts, non-terminating division, powers, roots, text forms, equality.
import java.math.*;
import java.util.*;

public class Big_rounding {
    interface Op { Object run(); }
    static String t(Op o) { try { return String.valueOf(o.run()); } catch (RuntimeException e) { return e.getClass().getSimpleName() + "(" + e.getMessage() + ")"; } }

    public static void main(String[] args) {
        for (RoundingMode m : RoundingMode.values()) {
            StringBuilder b = new StringBuilder(m + ":");
            for (String s : "5.5 2.5 1.6 1.1 1.0 -1.0 -1.1 -1.6 -2.5 -5.5 0.0005 123456.789".split(" ")) b.append(' ').append(t(() -> new BigDecimal(s).setScale(0, m)).replaceAll("A.*", "x")).append('/').append(t(() -> new BigDecimal(s).round(new MathContext(2, m))).replaceAll("A.*", "x"));
            System.out.println(b);
        }
        BigDecimal a = new BigDecimal("10"), c = new BigDecimal("3");
        System.out.println(t(() -> a.divide(c)) + " " + a.divide(c, 5, RoundingMode.UP) + " " + a.divide(c, MathContext.DECIMAL32) + " " + a.divide(c, MathContext.DECIMAL128) + " " + a.divideToIntegralValue(c) + " " + a.remainder(c.negate()) + " " + Arrays.toString(a.divideAndRemainder(c)) + " " + a.divide(new BigDecimal("8")) + " " + t(() -> a.divide(BigDecimal.ZERO)) + " " + t(() -> BigDecimal.ZERO.divide(BigDecimal.ZERO)));
        for (String s : "0 0.0 0E+3 1E-7 1E-6 123E5 -1.20 1e1000 100 0.00000000001 12345678901234567890.123".split(" ")) { BigDecimal d = new BigDecimal(s); System.out.print(d + " " + d.toEngineeringString() + " " + (d.scale() > -100 ? d.toPlainString() : "-") + " " + d.stripTrailingZeros() + " " + d.precision() + "," + d.scale() + "," + d.signum() + " " + d.unscaledValue() + " " + d.doubleValue() + " " + d.hashCode() + "; "); }
        System.out.println();
        System.out.println(new BigDecimal("2.0").equals(new BigDecimal("2.00")) + " " + new BigDecimal("2.0").compareTo(new BigDecimal("2.00")) + " " + new BigDecimal(0.1) + " " + BigDecimal.valueOf(0.1) + " " + new BigDecimal("1.5").pow(20) + " " + new BigDecimal("1.5").pow(-3, MathContext.DECIMAL32) + " " + t(() -> new BigDecimal("1.5").pow(-1)) + " " + new BigDecimal("2").sqrt(new MathContext(40)) + " " + t(() -> new BigDecimal("-2").sqrt(MathContext.DECIMAL32)) + " " + t(() -> new BigDecimal("2").sqrt(MathContext.UNLIMITED)));
        for (String s : new String[]{"", "x", "1.2.3", "1e", "--1", " 1", "1e99999999999", "+5", ".5", "5.", "\u0661"}) System.out.print(t(() -> new BigDecimal(s)).replaceAll("\\(.*", "") + " ");
        System.out.println();
        System.out.println(t(() -> new BigDecimal("1e20").longValueExact()) + " " + t(() -> new BigDecimal("1.5").intValueExact()) + " " + new BigDecimal("1e20").longValue() + " " + new BigDecimal("1e400").doubleValue() + " " + new BigDecimal("1e-400").doubleValue() + " " + new BigDecimal("4294967297.9").intValue() + " " + new BigDecimal("0.1").ulp() + " " + new BigDecimal("123.45").movePointLeft(5) + " " + new BigDecimal("123.45").movePointRight(5) + " " + new BigDecimal("123.45").scaleByPowerOfTen(-9) + " " + t(() -> new BigDecimal("1E+2147483647").multiply(new BigDecimal("1E+10"))));
        BigDecimal pi = BigDecimal.ZERO;
        MathContext mc = new MathContext(60);
        for (int k = 0; k < 50; k++) pi = pi.add(BigDecimal.ONE.divide(new BigDecimal(16).pow(k), mc).multiply(new BigDecimal(4).divide(new BigDecimal(8 * k + 1), mc).subtract(new BigDecimal(2).divide(new BigDecimal(8 * k + 4), mc)).subtract(BigDecimal.ONE.divide(new BigDecimal(8 * k + 5), mc)).subtract(BigDecimal.ONE.divide(new BigDecimal(8 * k + 6), mc)), mc));
        System.out.println(pi.round(new MathContext(50)));
        System.out.println(new MathContext("precision=7 roundingMode=HALF_DOWN") + " " + t(() -> new MathContext(-1)) + " " + t(() -> new MathContext("x")) + " " + MathContext.DECIMAL64);
    }
}
