// java.time: dates, zones, durations, formatting, parsing, arithmetic at the edges.
import java.time.*;
import java.time.format.*;
import java.time.temporal.*;
import java.util.*;

public class Time_api {
    public static void main(String[] args) {
        LocalDate d = LocalDate.of(2020, 2, 29);
        System.out.println(d.plusYears(1) + " " + d.plusMonths(1) + " " + d.minusDays(60) + " " + d.getDayOfWeek() + " " + d.isLeapYear() + " " + d.lengthOfMonth() + " " + d.with(TemporalAdjusters.firstInMonth(DayOfWeek.MONDAY)) + " " + ChronoUnit.DAYS.between(d, LocalDate.of(2021, 1, 1)) + " " + d.until(LocalDate.of(2023, 5, 17)) + " " + d.get(IsoFields.WEEK_OF_WEEK_BASED_YEAR) + " " + LocalDate.ofEpochDay(-1) + " " + LocalDate.MAX);
        LocalDateTime t = LocalDateTime.of(2021, 3, 28, 1, 30, 15, 123456789);
        System.out.println(t + " " + t.truncatedTo(ChronoUnit.MINUTES) + " " + t.format(DateTimeFormatter.ISO_DATE_TIME) + " " + t.format(DateTimeFormatter.ofPattern("EEEE d MMMM uuuu, HH:mm:ss.SSS", Locale.US)) + " " + LocalTime.MIDNIGHT.minusNanos(1));
        ZoneId berlin = ZoneId.of("Europe/Berlin"), ny = ZoneId.of("America/New_York");
        ZonedDateTime z = t.atZone(berlin);
        System.out.println(z + " " + z.plusHours(1) + " " + z.withZoneSameInstant(ny) + " " + berlin.getRules().isDaylightSavings(z.plusHours(1).toInstant()) + " " + LocalDateTime.of(2021, 3, 28, 2, 30).atZone(berlin) + " " + LocalDateTime.of(2021, 10, 31, 2, 30).atZone(berlin).withLaterOffsetAtOverlap());
        System.out.println(Instant.ofEpochSecond(1_000_000_000) + " " + Instant.EPOCH.minusMillis(1) + " " + Instant.parse("2001-09-09T01:46:40.5Z").toEpochMilli() + " " + OffsetDateTime.parse("2010-01-01T00:00:00+05:30").toInstant());
        System.out.println(Duration.ofSeconds(3661, 5_000_000) + " " + Duration.between(t, t.plusDays(1)).toHours() + " " + Duration.parse("PT-1H30M").toMinutes() + " " + Period.parse("P1Y2M3D").toTotalMonths() + " " + Duration.ofMillis(-1500) + " " + Period.between(LocalDate.of(2019, 12, 31), d));
        for (String s : new String[]{"2021-02-30", "x", "2021-13-01"}) {
            try {
                LocalDate.parse(s);
            } catch (DateTimeParseException e) {
                System.out.println(e.getMessage());
            }
        }
        try {
            ZoneId.of("No/Where");
        } catch (DateTimeException e) {
            System.out.println(e.getMessage());
        }
        System.out.println(DateTimeFormatter.ofLocalizedDate(FormatStyle.FULL).withLocale(Locale.GERMANY).format(d) + " " + DateTimeFormatter.ofLocalizedDate(FormatStyle.SHORT).withLocale(Locale.US).format(d) + " " + DayOfWeek.SUNDAY.getDisplayName(TextStyle.FULL, Locale.FRANCE) + " " + Month.of(8).getDisplayName(TextStyle.SHORT, Locale.ITALY));
        System.out.println(Year.of(1900).isLeap() + " " + YearMonth.of(2023, 2).atEndOfMonth() + " " + MonthDay.of(12, 25) + " " + Clock.fixed(Instant.EPOCH, ZoneOffset.UTC).instant() + " " + ZoneId.systemDefault() + " " + java.time.chrono.JapaneseDate.of(2020, 1, 1) + " " + java.time.chrono.HijrahDate.from(d));
        GregorianCalendar c = new GregorianCalendar(2021, Calendar.DECEMBER, 31);
        c.add(Calendar.DAY_OF_MONTH, 1);
        System.out.println(c.get(Calendar.YEAR) + " " + c.get(Calendar.WEEK_OF_YEAR) + " " + c.getActualMaximum(Calendar.DAY_OF_MONTH) + " " + new Date(0) + " " + TimeZone.getDefault().getID() + " " + TimeZone.getTimeZone("GMT+3").getRawOffset() + " " + java.sql.Timestamp.valueOf("2020-01-01 10:00:00.5"));
        long a = System.currentTimeMillis(), n = System.nanoTime();
        System.out.println((a > 1_600_000_000_000L) + " " + (System.nanoTime() >= n) + " " + (Math.abs(Instant.now().toEpochMilli() - a) < 60_000));
    }
}
