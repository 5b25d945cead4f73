// Zone rules: gaps and overlaps, transitions, offsets in history, arithmetic across changes, strange zones, fixed clocks.
import java.time.*;
import java.time.temporal.*;
import java.time.zone.*;
import java.util.*;

public class Zone_rules {
    public static void main(String[] args) {
        ZoneId ny = ZoneId.of("America/New_York");
        LocalDateTime gap = LocalDateTime.of(2021, 3, 14, 2, 30), overlap = LocalDateTime.of(2021, 11, 7, 1, 30);
        System.out.println(gap.atZone(ny) + " " + overlap.atZone(ny) + " " + overlap.atZone(ny).withLaterOffsetAtOverlap() + " " + ny.getRules().getValidOffsets(gap) + " " + ny.getRules().getValidOffsets(overlap) + " " + ny.getRules().getTransition(gap));
        ZonedDateTime z = ZonedDateTime.of(2021, 3, 13, 2, 30, 0, 0, ny);
        System.out.println(z.plusDays(1) + " " + z.plusHours(24) + " " + ChronoUnit.HOURS.between(z, z.plusDays(1)) + " " + z.plusDays(1).truncatedTo(ChronoUnit.DAYS) + " " + Duration.between(z, z.plusMonths(1)) + " " + Period.between(z.toLocalDate(), LocalDate.of(2024, 2, 29)));
        for (String id : new String[]{"Europe/London", "Asia/Kolkata", "Australia/Lord_Howe", "Pacific/Apia", "Africa/Casablanca", "Asia/Tehran", "America/Caracas", "Antarctica/Troll", "UTC", "+05:30", "GMT-3", "Etc/GMT+5"}) {
            ZoneRules r = ZoneId.of(id).getRules();
            Instant i = Instant.parse("2019-06-01T00:00:00Z");
            ZoneOffsetTransition next = r.nextTransition(i), prev = r.previousTransition(i);
            System.out.println(id + " " + r.getOffset(i) + " " + r.getStandardOffset(i) + " " + r.isDaylightSavings(i) + " " + r.isFixedOffset() + " " + (next == null ? null : next.getInstant()) + " " + (prev == null ? null : prev.getInstant()) + " " + r.getOffset(Instant.parse("1900-01-01T00:00:00Z")) + " " + r.getTransitionRules().size());
        }
        System.out.println(LocalDate.of(2011, 12, 30).atStartOfDay(ZoneId.of("Pacific/Apia")) + " " + LocalDate.of(2018, 11, 4).atStartOfDay(ZoneId.of("America/Sao_Paulo")));
        for (String bad : new String[]{"No/Where", "UTC+99", "x y", "", "+19:00"}) try { System.out.println(ZoneId.of(bad)); } catch (DateTimeException e) { System.out.println(e.getClass().getSimpleName() + " " + e.getMessage()); }
        TimeZone tz = TimeZone.getTimeZone("America/New_York");
        System.out.println(tz.getRawOffset() + " " + tz.inDaylightTime(new Date(1625000000000L)) + " " + tz.getDisplayName(true, TimeZone.SHORT, Locale.US) + " " + TimeZone.getTimeZone("Nonsense").getID() + " " + TimeZone.getTimeZone("GMT+5:30").getID() + " " + TimeZone.getDefault().getID() + " " + new SimpleTimeZone(3600000, "own", Calendar.MARCH, -1, Calendar.SUNDAY, 7200000, Calendar.OCTOBER, -1, Calendar.SUNDAY, 10800000).getOffset(1625000000000L));
        Clock c = Clock.fixed(Instant.EPOCH, ZoneOffset.ofHours(2));
        System.out.println(LocalDateTime.now(c) + " " + Clock.offset(c, Duration.ofDays(1)).instant() + " " + Clock.tick(Clock.fixed(Instant.ofEpochMilli(12345), ZoneOffset.UTC), Duration.ofSeconds(5)).millis());
        System.out.println(LocalDate.of(2020, 12, 31).get(IsoFields.WEEK_OF_WEEK_BASED_YEAR) + " " + LocalDate.of(2021, 1, 31).plusMonths(1) + " " + LocalDate.of(2020, 2, 29).plusYears(1) + " " + LocalDate.of(2021, 5, 5).with(TemporalAdjusters.lastInMonth(DayOfWeek.FRIDAY)) + " " + LocalDate.EPOCH.with(TemporalAdjusters.firstDayOfNextYear()) + " " + ChronoUnit.MONTHS.between(LocalDate.of(2021, 1, 31), LocalDate.of(2021, 2, 28)) + " " + LocalTime.MIN.minusNanos(1) + " " + LocalDate.of(2021, 1, 1).query(TemporalQueries.precision()));
        for (Runnable r : new Runnable[]{() -> LocalDate.of(2021, 2, 29), () -> LocalTime.of(24, 0), () -> LocalDate.MAX.plusDays(1), () -> LocalTime.NOON.get(ChronoField.DAY_OF_MONTH), () -> LocalDate.from(LocalTime.NOON), () -> Instant.MAX.plusNanos(1), () -> ZoneOffset.ofHours(19)}) try { r.run(); } catch (DateTimeException e) { System.out.println(e.getMessage()); }
    }
}
