// Formats that Formatter rejects, by kind and message, and odd but legal conversions.
import java.util.*;

public class Format_refusals {
    static void t(String f, Object... a) { try { System.out.println(f + " -> [" + String.format(Locale.US, f, a) + "]"); } catch (IllegalFormatException e) { System.out.println(f + " -> " + e.getClass().getSimpleName() + " " + e.getMessage()); } }
    static class F implements Formattable { public void formatTo(Formatter f, int flags, int w, int p) { f.format("F(%d,%d,%d)", flags, w, p); } }

    public static void main(String[] args) {
        t("%"); t("%q", 1); t("%d", "x"); t("%d", 1.5); t("%s"); t("%2$s", 1); t("%<s", 1); t("%-d", 1); t("%05-d", 1); t("%,x", 1); t("%#d", 1); t("%+s", "x"); t("%.2d", 1); t("%c", "x"); t("%c", 0x110000); t("%c", 65); t("%b", "x"); t("%.1b", true);
        t("%x", 1.5); t("%e", 1); t("%,e", 1.0); t("%a", 1.5f); t("%.3a", 1.0 / 3); t("%h", "hi"); t("%S %B %X %E", "abc", true, 255, 1.5); t("%n%%"); t("%-5%|"); t("%5n"); t("%s %s", 1); t("%1$s %1$s %s %s", "a", "b"); t("%s %<s %s %<S", "x", "y");
        t("%08.2f|%+d|% d|%(d|%(,.1f", 3.14159, 5, 5, -5, -12345.67); t("%-10s|%10.3s|%.0s", "abc", "abcdef", "gone"); t("%o %x %X %#x %#o", -1, -1L, (byte) -1, 255, 8); t("%g %g %g %.3g", 0.0001, 123456.0, 1e10, 0.00001234); t("%.0f %.0f %.0f %.1f", 0.5, 1.5, 2.5, 0.25); t("%f %f %e", Double.NaN, Double.NEGATIVE_INFINITY, Double.MAX_VALUE); t("%s %S %10s %-#5.2s|", new F(), new F(), new F(), new F()); t("%s %s", new int[0].length, null); t("%d %d", new java.math.BigInteger("123456789012345678901234567890"), (short) 3); t("%,.3f %010d %x", new java.math.BigDecimal("12345.67891"), new java.math.BigInteger("-55"), new java.math.BigInteger("-255")); t("%1$", 1); t("%0d", 1); t("%--d", 1); t("%99999999999d", 1); t("%0$d", 1); t("%t", 1); t("%tq", 1L); t("%b %b %b", null, false, 0);
    }
}
