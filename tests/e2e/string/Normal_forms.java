// Normalisation, collation and break iteration: composed letters, order by strength and custom rules, sentences.
import java.text.*;
import java.util.*;

public class Normal_forms {
    static String hex(String s) { StringBuilder b = new StringBuilder(); s.codePoints().forEach(c -> b.append(Integer.toHexString(c)).append(' ')); return b.toString().trim(); }

    public static void main(String[] args) throws Exception {
        for (String s : new String[]{"\u00e9", "e\u0301", "\ufb01", "\u212b", "\uac00", "\u1100\u1161\u11a8", "\u0344", "q\u0307\u0323", "\u00bd", "\ud834\udd5e", "abc", "\u0958", "\u3392"})
            { System.out.print(hex(s) + ":"); for (Normalizer.Form f : Normalizer.Form.values()) System.out.print(" " + f + " " + hex(Normalizer.normalize(s, f)) + " " + Normalizer.isNormalized(s, f)); System.out.println(); }
        List<String> words = new ArrayList<>(List.of("cote", "cot\u00e9", "c\u00f4te", "c\u00f4t\u00e9", "Cote", "zebra", "\u00c4pfel", "apfel", "Apfel", "\u00e5ngstr\u00f6m", "chico", "curioso", "llama", "luz", "co-op", "coop", "\u00df", "ss", ""));
        for (Locale l : new Locale[]{Locale.ROOT, Locale.GERMAN, Locale.FRENCH, Locale.forLanguageTag("sv"), Locale.forLanguageTag("es")}) { words.sort(Collator.getInstance(l)); System.out.println(l + " " + words); }
        Collator c = Collator.getInstance(Locale.US);
        for (int s : new int[]{Collator.PRIMARY, Collator.SECONDARY, Collator.TERTIARY, Collator.IDENTICAL}) { c.setStrength(s); System.out.print(c.compare("a", "A") + "" + c.compare("a", "\u00e1") + c.compare("a", "b") + c.equals("e\u0301", "\u00e9") + " "); }
        c.setDecomposition(Collator.CANONICAL_DECOMPOSITION);
        System.out.println(c.equals("e\u0301", "\u00e9") + " " + Integer.signum(c.getCollationKey("abc").compareTo(c.getCollationKey("abd"))));
        RuleBasedCollator r = new RuleBasedCollator("< c < b, B < a & b ; bb < z");
        List<String> own = new ArrayList<>(List.of("a", "b", "B", "c", "bb", "z", "ab"));
        own.sort(r);
        System.out.println(own);
        try { new RuleBasedCollator("< a < < b"); System.out.println("accepted"); } catch (ParseException e) { System.out.println("parse " + e.getErrorOffset()); }
        String text = "Mr. Smith isn't here. He left at 5.30 p.m.! \"Why?\" she asked\u2014twice.\nNew line";
        for (BreakIterator b : new BreakIterator[]{BreakIterator.getWordInstance(Locale.US), BreakIterator.getSentenceInstance(Locale.US), BreakIterator.getLineInstance(Locale.US), BreakIterator.getCharacterInstance(Locale.US)}) {
            b.setText(b.toString().isEmpty() ? "" : text);
            StringBuilder o = new StringBuilder();
            int n = 0;
            for (int i = b.first(); i != BreakIterator.DONE; i = b.next()) { if (n++ < 25) o.append(i).append(' '); }
            System.out.println(n + ": " + o + b.following(10) + " " + b.preceding(10) + " " + b.isBoundary(4) + " " + b.last());
        }
        Bidi bidi = new Bidi("abc \u05d0\u05d1\u05d2 123 def", Bidi.DIRECTION_LEFT_TO_RIGHT);
        System.out.print(bidi.isMixed() + " " + bidi.getRunCount());
        for (int i = 0; i < bidi.getRunCount(); i++) System.out.print(" " + bidi.getRunStart(i) + "-" + bidi.getRunLimit(i) + ":" + bidi.getRunLevel(i));
        System.out.println();
    }
}
