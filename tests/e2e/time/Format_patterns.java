// DateTimeFormatter: pattern letters, styles in several locales, optional parts, resolver styles, parse errors.
import java.time.*;
import java.time.format.*;
import java.time.temporal.*;
import java.util.*;

public class Format_patterns {
    public static void main(String[] args) {
        ZonedDateTime z = ZonedDateTime.of(2021, 11, 7, 15, 4, 5, 678_900_000, ZoneId.of("America/New_York"));
        for (String p : "G GGGG u uu y yyyy yyyyy D DDD M MM MMM MMMM MMMMM L LLLL d dd Q QQQ QQQQ w W E EEEE EEEEE e c F a B h K k H m s S SSS A n N VV v z zzzz O OOOO X XXX XXXXX x xxxx Z ZZZZ ZZZZZ 'lit' '' [HH]".split(" ")) try { System.out.print(p + "=" + DateTimeFormatter.ofPattern(p, Locale.US).format(z) + " | "); } catch (IllegalArgumentException | DateTimeException e) { System.out.print(p + " " + e.getMessage() + " | "); }
        System.out.println();
        for (Locale l : new Locale[]{Locale.US, Locale.UK, Locale.GERMANY, Locale.FRANCE, Locale.JAPAN, Locale.forLanguageTag("ar-EG"), Locale.forLanguageTag("zh-CN"), Locale.forLanguageTag("ru")}) {
            StringBuilder b = new StringBuilder(l + "");
            for (FormatStyle s : FormatStyle.values()) b.append(" | ").append(DateTimeFormatter.ofLocalizedDate(s).withLocale(l).format(z)).append(" ; ").append(DateTimeFormatter.ofLocalizedTime(s).withLocale(l).format(z));
            System.out.println(b.append(" ").append(DayOfWeek.MONDAY.getDisplayName(TextStyle.SHORT, l)).append(" ").append(Month.MAY.getDisplayName(TextStyle.NARROW, l)).append(" ").append(WeekFields.of(l).getFirstDayOfWeek()));
        }
        DateTimeFormatter f = new DateTimeFormatterBuilder().parseCaseInsensitive().appendPattern("uuuu-MMM-dd[ HH:mm[:ss]]").parseDefaulting(ChronoField.HOUR_OF_DAY, 7).optionalStart().appendFraction(ChronoField.NANO_OF_SECOND, 0, 9, true).optionalEnd().toFormatter(Locale.US);
        for (String s : new String[]{"2021-jan-05", "2021-FEB-28 10:20", "2021-Mar-31 10:20:30.5", "2021-Foo-01", "2021-Jan-32", "2021-Feb-30", "2021-Jan-1", ""}) try { System.out.print(f.parse(s, TemporalQueries.localDate()) + " " + f.parse(s, LocalTime::from) + "; "); } catch (DateTimeException e) { System.out.print(e.getMessage() + "; "); }
        System.out.println(f.toString().replaceAll("@[0-9a-f]+", "@"));
        for (ResolverStyle r : ResolverStyle.values()) for (String s : new String[]{"2021-02-30", "2021-02-31", "2021-13-01", "2021-04-31"}) try { System.out.print(r + " " + LocalDate.parse(s, DateTimeFormatter.ofPattern("uuuu-MM-dd").withResolverStyle(r)) + "; "); } catch (DateTimeParseException e) { System.out.print(r + " bad " + s + "; "); }
        System.out.println();
        for (String s : new String[]{"2021-11-07T01:30:00-04:00[America/New_York]", "2021-11-07T01:30-05:00[America/New_York]", "2021-03-14T02:30-05:00[America/New_York]", "+12021-01-01T00:00Z", "2021-01-01T24:00Z", "2021-01-01T25:00Z"}) try { System.out.print(ZonedDateTime.parse(s) + "; "); } catch (DateTimeParseException e) { System.out.print(e.getErrorIndex() + " " + e.getMessage() + "; "); }
        System.out.println();
        System.out.println(DateTimeFormatter.ISO_WEEK_DATE.format(z) + " " + DateTimeFormatter.ISO_ORDINAL_DATE.format(z) + " " + DateTimeFormatter.RFC_1123_DATE_TIME.format(z) + " " + DateTimeFormatter.BASIC_ISO_DATE.format(z) + " " + DateTimeFormatter.ISO_INSTANT.format(z));
        System.out.println(Duration.parse("P2DT-3H4.005S") + " " + Duration.ofMillis(-1500) + " " + Period.parse("-P1Y2M3W4D") + " " + Period.of(1, 14, 0).normalized() + " " + Year.parse("-0044") + " " + MonthDay.parse("--02-29").atYear(2021) + " " + Instant.MAX + " " + LocalDate.MIN + " " + OffsetTime.parse("10:15+01:00"));
    }
}
