// Formatter's date and time conversions over calendars, instants and java.time values, in several locales.
import java.time.*;
import java.util.*;

public class Format_dates {
    public static void main(String[] args) {
        ZonedDateTime z = ZonedDateTime.of(2021, 3, 4, 5, 6, 7, 89_000_000, ZoneId.of("Europe/Paris"));
        Calendar c = GregorianCalendar.from(z);
        Object[] all = {z, c, c.getTime(), c.getTimeInMillis(), z.toLocalDateTime(), z.toOffsetDateTime()};
        for (char k : "HIklMSLNpzZsQBbhAaCYyjmdeRTrDFc".toCharArray()) {
            StringBuilder b = new StringBuilder("%t" + k);
            for (Object o : all) {
                try { b.append(" [").append(String.format(Locale.US, "%t" + k, o)).append(']'); }
                catch (RuntimeException e) { b.append(" [").append(e.getClass().getSimpleName()).append(']'); }
            }
            System.out.println(b);
        }
        for (Locale l : new Locale[]{Locale.GERMANY, Locale.FRANCE, Locale.JAPAN, Locale.forLanguageTag("ar"), Locale.forLanguageTag("th-TH")}) System.out.println(String.format(l, "%1$tA %1$te. %1$tB %1$tY %1$tp", z));
        System.out.println(String.format(Locale.ROOT, "[%20tF] [%-20tT] [%Tb] [%<tY]", z, z, z));
        for (Object bad : new Object[]{"text", 1.5, LocalDate.of(2020, 1, 1), LocalTime.NOON, null}) try { System.out.println(String.format("%tH", bad)); } catch (RuntimeException e) { System.out.println(e); }
    }
}
