// Calendars old and new: lenient fields, rolls, the Gregorian change, weeks, and the chronologies of other countries.
import java.text.*;
import java.time.*;
import java.time.chrono.*;
import java.time.temporal.*;
import java.util.*;

public class Calendar_systems {
    public static void main(String[] args) throws Exception {
        LocalDate d = LocalDate.of(2021, 4, 13);
        for (Chronology c : new Chronology[]{IsoChronology.INSTANCE, ThaiBuddhistChronology.INSTANCE, MinguoChronology.INSTANCE, JapaneseChronology.INSTANCE, HijrahChronology.INSTANCE}) { ChronoLocalDate x = c.date(d); System.out.println(c.getId() + " " + c.getCalendarType() + " " + x + " " + x.getEra() + " " + x.lengthOfMonth() + " " + x.lengthOfYear() + " " + x.isLeapYear() + " " + x.plus(1, ChronoUnit.MONTHS) + " " + x.until(c.date(LocalDate.of(2022, 1, 1))) + " " + c.eras()); }
        System.out.println(JapaneseDate.of(JapaneseEra.SHOWA, 64, 1, 7) + " " + JapaneseDate.of(2019, 5, 1) + " " + LocalDate.from(HijrahDate.of(1442, 9, 1)) + " " + Chronology.ofLocale(Locale.forLanguageTag("th-TH-u-ca-buddhist")));
        try { JapaneseDate.of(JapaneseEra.SHOWA, 64, 1, 8); } catch (DateTimeException e) { System.out.println(e.getMessage()); }
        GregorianCalendar g = new GregorianCalendar(TimeZone.getTimeZone("UTC"), Locale.US);
        g.clear();
        SimpleDateFormat f = new SimpleDateFormat("G yyyy-MM-dd HH:mm:ss.SSS EEE D w W F u", Locale.US);
        f.setTimeZone(TimeZone.getTimeZone("UTC"));
        int[][] sets = {{2021, 0, 31}, {2021, 1, 30}, {2021, 13, -5}, {1582, 9, 4}, {1582, 9, 10}, {1582, 9, 15}, {0, 0, 1}, {-5, 5, 5}, {2020, 1, 29}};
        for (int[] s : sets) { g.clear(); g.set(s[0], s[1], s[2]); System.out.println(f.format(g.getTime()) + " " + g.getActualMaximum(Calendar.DAY_OF_MONTH) + " " + g.getActualMaximum(Calendar.DAY_OF_YEAR) + " " + g.isLeapYear(g.get(Calendar.YEAR)) + " " + g.getWeeksInWeekYear()); }
        g.clear();
        g.set(2021, 0, 31, 23, 59, 59);
        g.add(Calendar.MONTH, 1);
        System.out.print(f.format(g.getTime()) + " | ");
        g.roll(Calendar.DAY_OF_MONTH, 5);
        System.out.print(f.format(g.getTime()) + " | ");
        g.roll(Calendar.HOUR_OF_DAY, false);
        g.add(Calendar.WEEK_OF_YEAR, -60);
        System.out.print(f.format(g.getTime()) + " | ");
        g.set(Calendar.DAY_OF_WEEK, Calendar.MONDAY);
        g.set(Calendar.WEEK_OF_YEAR, 1);
        System.out.println(f.format(g.getTime()));
        g.setLenient(false);
        g.set(Calendar.MONTH, 15);
        try { g.getTime(); } catch (IllegalArgumentException e) { System.out.println(e.getMessage()); }
        SimpleDateFormat p = new SimpleDateFormat("yy/M/d h:mm a z", Locale.US);
        for (String s : new String[]{"21/3/4 5:06 PM GMT", "99/12/31 12:00 AM EST", "x", "21/3/4 5:06 PM +0230", "21/33/4 5:06 PM UTC"}) try { System.out.print(p.parse(s).getTime() + " "); } catch (ParseException e) { System.out.print(e.getMessage() + " @" + e.getErrorOffset() + " "); }
        System.out.println();
        DateFormatSymbols y = DateFormatSymbols.getInstance(Locale.FRANCE);
        System.out.println(Arrays.toString(y.getMonths()) + Arrays.toString(y.getShortWeekdays()) + " " + DateFormat.getDateTimeInstance(DateFormat.FULL, DateFormat.LONG, Locale.GERMANY).format(new Date(0)) + " " + Calendar.getInstance(Locale.forLanguageTag("th-TH-u-ca-buddhist")).getCalendarType() + " " + Calendar.getInstance(Locale.FRANCE).getFirstDayOfWeek());
        System.out.println(new Date(0) + " " + new Date(121, 3, 4).getTime() + " " + Date.UTC(70, 0, 2, 0, 0, 0) + " " + java.sql.Timestamp.valueOf("2021-01-02 03:04:05.006").getNanos());
    }
}
