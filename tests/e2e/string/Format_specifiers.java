// String.format: flags, widths, conversions, argument indexes, errors.
import java.math.*;
import java.util.*;

public class Format_specifiers {
    static void f(String fmt, Object... a) {
        try {
            System.out.println(String.format(fmt, a));
        } catch (IllegalFormatException e) {
            System.out.println(e.getClass().getSimpleName() + " " + e.getMessage());
        }
    }

    public static void main(String[] args) {
        f("%d|%5d|%-5d|%05d|%+d|%,d|%(d|% d|%x|%X|%o|%#x|%#o", 42, 42, 42, 42, 42, 1234567, -42, 42, 255, 255, 8, 255, 8);
        f("%d %d %d %d %x %x", (byte) -1, (short) -2, 3L, new BigInteger("123456789012345678901"), -1, -1L);
        f("%f|%.2f|%10.3f|%-10.1f|%e|%.3E|%g|%a|%+.1f|%,.2f|%(.1f|%08.2f", 3.14159, 3.14159, 3.14159, 3.14159, 31415.9, 0.00031, 0.0001, 1.0, 2.55, 1234567.891, -5.0, -3.5);
        f("%f %e %g %f %.0f %.0f %.0f %.1f %.20f", Double.NaN, Double.POSITIVE_INFINITY, 1e10, 1f / 3, 0.5, 1.5, 2.5, 0.25, 0.1);
        f("%s|%10s|%-10s|%.3s|%S|%s|%s|%s", "text", "text", "text", "text", "text", null, List.of(1, 2), new int[0].length);
        f("%c%c%c%C|%b|%B|%b|%b|%h|%n|%%|%5c|%-3c|", 'a', 98, 0x1f600, 'x', true, "x", null, false, "hash", 'q', 'r');
        f("%2$s %1$s %<s %s %s", "a", "b");
        f("%tY-%<tm-%<td %<tH:%<tM:%<tS %<tB %<tA %<tj %<tF %<tT", new GregorianCalendar(2020, Calendar.FEBRUARY, 29, 13, 5, 9));
        f("%s %.2f %,d", new BigDecimal("12.345"), new BigDecimal("12.345"), new BigInteger("-9876543210"));
        f("%d", "x"); f("%q", 1); f("%s %s", 1); f("%.2d", 5); f("%-d", 5); f("%5", 5); f("%c", 0x110000); f("%,x", 5); f("%+s", "a"); f("%#s", "x"); f("%0d", 1); f("%-05d", 1);
        f("%-5b|%.1b|%10.4s|%x|%X", true, true, "truncate", "", "ab".hashCode());
        System.out.println(String.format(Locale.GERMANY, "%,.2f %tB", 1234567.891, new GregorianCalendar(2020, 4, 1)) + " " + String.format(Locale.FRANCE, "%,d", 1234567).length());
        Formatter fm = new Formatter(new StringBuilder("pre:"));
        fm.format("%s", 1).format("%s", 2);
        System.out.println(fm + " " + fm.out().getClass().getSimpleName());
        System.out.printf("%s %s%n", "printf", 1.0f);
        f("%s %s", new Formattable() { public void formatTo(Formatter x, int flags, int w, int p) { x.format("custom%d", w); } }, Optional.of(3));
    }
}
