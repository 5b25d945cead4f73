// Locales: names, tags, default, case rules, number symbols, currencies.
import java.text.NumberFormat;
import java.util.*;

public class Locale_data {
    public static void main(String[] args) {
        Locale de = Locale.GERMANY, tw = Locale.forLanguageTag("zh-Hant-TW"), x = new Locale.Builder().setLanguage("sr").setScript("Latn").setRegion("RS").build();
        for (Locale l : new Locale[]{de, tw, x, Locale.ROOT, new Locale("es", "ES", "Tradicional")}) System.out.println(l + " " + l.toLanguageTag() + " " + l.getLanguage() + " " + l.getCountry() + " " + l.getDisplayName(Locale.US) + " " + l.hashCode());
        System.out.println(de.getDisplayLanguage(Locale.FRANCE) + " " + de.getDisplayCountry(Locale.JAPAN) + " " + de.getISO3Country() + " " + de.getISO3Language() + " " + Locale.getDefault());
        for (Locale l : new Locale[]{Locale.US, de, Locale.FRANCE, Locale.forLanguageTag("hi-IN"), Locale.forLanguageTag("ar-EG")}) System.out.println(NumberFormat.getInstance(l).format(1234567.891) + " " + NumberFormat.getPercentInstance(l).format(0.5) + " " + NumberFormat.getCurrencyInstance(l).format(12.5));
        System.out.println("I".toLowerCase(new Locale("tr")).equals("\u0131") + " " + "i".toUpperCase(new Locale("tr")) + " " + "\u00cc".toLowerCase(new Locale("lt")).length());
        System.out.println(Currency.getInstance("EUR").getSymbol(Locale.GERMANY) + " " + Currency.getInstance(Locale.JAPAN).getDefaultFractionDigits() + " " + Currency.getInstance("USD").getNumericCode());
        try {
            Currency.getInstance("XYZQ");
        } catch (IllegalArgumentException e) {
            System.out.println("no such currency");
        }
        Locale.setDefault(Locale.GERMANY);
        System.out.println(String.format("%,.2f", 1234.5) + " " + String.format(Locale.ROOT, "%,.2f", 1234.5));
        System.out.println(Locale.lookup(Locale.LanguageRange.parse("fr-CA,en;q=0.5"), List.of(Locale.ENGLISH, Locale.FRENCH)) + " " + Arrays.asList(Locale.getISOLanguages()).contains("de"));
    }
}
