// DecimalFormat and NumberFormat: patterns, rounding modes, grouping, percent, exponents, parsing, positions, compact numbers.
import java.math.*;
import java.text.*;
import java.util.*;

public class Decimal_formats {
    public static void main(String[] args) throws Exception {
        DecimalFormatSymbols us = DecimalFormatSymbols.getInstance(Locale.US);
        for (String p : new String[]{"0", "#", "#.##", "0.00", "#,##0.###", "00.0#E0", "##0.##E0", "0.###E00", "#%", "0.0\u2030", "'#'0", "0.0;(0.0)", "$#,##0.00", "#,####.0", "000,000", "x0y", "0.00\u00a4"}) {
            DecimalFormat f = new DecimalFormat(p, us);
            System.out.print(p + ":");
            for (double d : new double[]{0, -0.0, 1, -1.5, 0.5, 2.5, 1234.5678, -98765432.1, 1e-7, 1e20, Double.NaN, Double.NEGATIVE_INFINITY}) System.out.print(" " + f.format(d));
            System.out.println(" | " + f.toPattern() + " " + f.getMinimumFractionDigits() + f.getMaximumFractionDigits() + f.getGroupingSize());
        }
        for (RoundingMode m : RoundingMode.values()) {
            DecimalFormat f = new DecimalFormat("0.#", us);
            f.setRoundingMode(m);
            StringBuilder b = new StringBuilder(m + ":");
            for (double d : new double[]{0.25, 0.35, -0.25, 0.15, 1.05, 2.5}) try { b.append(' ').append(f.format(d)); } catch (ArithmeticException e) { b.append(" x"); }
            System.out.println(b);
        }
        DecimalFormat p = new DecimalFormat("#,##0.0#", us);
        for (String s : new String[]{"1,234.5", "-1.25abc", "abc", "1,2,3", "1e5", ".5", "\u221e", "99999999999999999999"}) { ParsePosition at = new ParsePosition(0); Number n = p.parse(s, at); System.out.print(n + "/" + (n == null ? "" : n.getClass().getSimpleName()) + "@" + at.getIndex() + "," + at.getErrorIndex() + " "); }
        p.setParseBigDecimal(true);
        System.out.println(p.parse("12345678901234567890.5"));
        System.out.println(p.format(new BigDecimal("1234567890123456789012.345")) + " " + p.format(new BigInteger("-123456789012345678901")) + " " + p.format(Long.MIN_VALUE));
        for (Locale l : new Locale[]{Locale.US, Locale.GERMANY, Locale.FRANCE, Locale.forLanguageTag("de-CH"), Locale.forLanguageTag("hi-IN"), Locale.forLanguageTag("ar-EG"), Locale.JAPAN}) System.out.println(l + " " + NumberFormat.getInstance(l).format(-1234567.891) + " " + NumberFormat.getCurrencyInstance(l).format(-1234.5) + " " + NumberFormat.getPercentInstance(l).format(0.256) + " " + NumberFormat.getCompactNumberInstance(l, NumberFormat.Style.SHORT).format(1234567) + " " + NumberFormat.getCompactNumberInstance(l, NumberFormat.Style.LONG).format(12345));
        FieldPosition fp = new FieldPosition(NumberFormat.Field.FRACTION);
        StringBuffer b = new StringBuffer("x");
        new DecimalFormat("#,##0.00", us).format(12345.678, b, fp);
        System.out.println(b + " " + fp.getBeginIndex() + "-" + fp.getEndIndex());
        for (String bad : new String[]{"0.0.0", "#0#", "0,0.0,0", "%%0", "E0", "0;0;0"}) try { System.out.println(bad + " " + new DecimalFormat(bad, us).format(5)); } catch (IllegalArgumentException e) { System.out.println(bad + " " + e.getMessage()); }
    }
}
