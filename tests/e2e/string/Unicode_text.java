// java.text: normalisation, break iteration, collation, message, number and choice formats.
import java.text.*;
import java.util.*;

public class Unicode_text {
    public static void main(String[] args) throws Exception {
        String e = "e\u0301\ufb01";
        for (Normalizer.Form f : Normalizer.Form.values()) {
            String n = Normalizer.normalize(e, f);
            System.out.print(f + ":" + n.length() + ":" + n.hashCode() + ":" + Normalizer.isNormalized(n, f) + " ");
        }
        System.out.println();
        BreakIterator b = BreakIterator.getWordInstance(Locale.US);
        b.setText("Hello brave, new world.");
        StringBuilder sb = new StringBuilder();
        for (int i = b.first(); i != BreakIterator.DONE; i = b.next()) sb.append(i).append(' ');
        System.out.println(sb);
        String[] words = {"cote", "cot\u00e9", "c\u00f4te", "Zebra", "apple", "\u00c4pfel"};
        Arrays.sort(words);
        System.out.println(Arrays.toString(words));
        Arrays.sort(words, Collator.getInstance(Locale.GERMANY));
        System.out.println(Arrays.toString(words));
        System.out.println(MessageFormat.format("{0} has {1,number,integer} items costing {2,number,#.##} {3}", "Ann", 1234, 5.678, null));
        System.out.println(new ChoiceFormat("0#none|1#one|1<many").format(5) + " " + new MessageFormat("{0,choice,0#no files|1#one file|1<{0} files}", Locale.US).format(new Object[]{7}));
        DecimalFormat d = new DecimalFormat("#,##0.00;(#)", DecimalFormatSymbols.getInstance(Locale.US));
        System.out.println(d.format(1234567.891) + " " + d.format(-5) + " " + d.parse("1,234.5") + " " + NumberFormat.getPercentInstance(Locale.US).format(0.256) + " " + NumberFormat.getCurrencyInstance(Locale.US).format(-3.5) + " " + new DecimalFormat("0.###E0", DecimalFormatSymbols.getInstance(Locale.US)).format(12345));
        SimpleDateFormat s = new SimpleDateFormat("yyyy-MM-dd'T'HH:mm:ss.SSSZ EEE", Locale.US);
        s.setTimeZone(TimeZone.getTimeZone("UTC"));
        System.out.println(s.format(new Date(1234567890123L)) + " " + s.parse("2001-02-03T04:05:06.007+0100 Sat").getTime());
        try {
            s.parse("garbage");
        } catch (ParseException x) {
            System.out.println(x.getMessage() + " " + x.getErrorOffset());
        }
        StringCharacterIterator it = new StringCharacterIterator("xyz");
        for (char c = it.last(); c != CharacterIterator.DONE; c = it.previous()) System.out.print(c);
        System.out.println();
        StringTokenizer t = new StringTokenizer("a b;c", " ;", true);
        while (t.hasMoreTokens()) System.out.print("[" + t.nextToken() + "]");
        System.out.println(t.countTokens());
    }
}
