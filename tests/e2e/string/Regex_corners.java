// Regular expressions: named groups, look-around, possessive and lazy, flags, classes with intersections, regions, appendReplacement, errors.
import java.util.*;
import java.util.regex.*;
import java.util.stream.*;

public class Regex_corners {
    static void t(String p, String s, int... flags) {
        try {
            Matcher m = Pattern.compile(p, flags.length > 0 ? flags[0] : 0).matcher(s);
            StringBuilder b = new StringBuilder(p.replace("\n", "\\n") + ":");
            while (m.find()) { b.append(" [").append(m.start()).append(',').append(m.end()).append(' '); for (int i = 0; i <= m.groupCount(); i++) b.append(m.group(i)).append(i < m.groupCount() ? "|" : ""); b.append(']'); }
            System.out.println(b.append(m.hitEnd() ? " hit end" : ""));
        } catch (PatternSyntaxException e) { System.out.println(p + " " + e.getDescription() + " @" + e.getIndex()); }
    }

    public static void main(String[] args) {
        t("(?<y>\\d{4})-(?<m>\\d\\d)", "2021-03 and 1999-12");
        t("(a+)+b", "aaaaaaaaaaaaaaaaac");
        t("a*+a", "aaaa");
        t("(a|ab)(c|bcd)(d*)", "abcd");
        t("(?<=\\$)\\d+(?!\\d|%)", "$15 $20% 30");
        t("(?<!x)y", "xy y zy");
        t("(\\w)\\1", "aabbcdd");
        t("\\bfoo\\b", "foo food foo");
        t("^.*$", "l1\nl2\r\nl3\u0085l4", Pattern.MULTILINE);
        t("l.l", "l\nl l\rl", Pattern.DOTALL);
        t("[a-z&&[^aeiou]]+", "hello world");
        t("\\p{Lu}\\p{L}*", "\u00c9t\u00e9 Das \u0416\u0443\u043a");
        t("stra\u00dfe|\u03c3", "STRASSE \u03a3 \u03c2", Pattern.CASE_INSENSITIVE | Pattern.UNICODE_CASE);
        t("\\w+", "caf\u00e9", Pattern.UNICODE_CHARACTER_CLASS);
        t("a b # comment\n c", "abc", Pattern.COMMENTS);
        t("\\Qa.b\\E+", "a.bbb a.b.b");
        t("x{2,3}?", "xxxxxxx");
        t("(?i:A)b(?-i)", "ab AB Ab");
        t("\\R", "a\r\nb\nc\u2028");
        t("\\X", "e\u0301a\ud83d\ude00");
        t("(?>a|ab)c", "abc ac");
        t("\\G\\d", "12a3");
        t("", "ab");
        t("$", "ab\n");
        t("\\p{IsGreek}|\\p{InThai}|\\p{javaMirrored}", "\u03b1\u0e01(");
        t("[\\x{1F600}-\\x{1F64F}]", "\ud83d\ude01");
        for (String bad : new String[]{"(", "[a", "a{2,1}", "*a", "\\k<n>", "(?<1a>x)", "\\p{Nope}", "(?<=a+)b", "\\", "a**+", "(?<a>x)(?<a>y)", "[z-a]"}) t(bad, "ab");
        Matcher m = Pattern.compile("(?<k>\\w)=(\\d)").matcher("a=1,b=2");
        System.out.println(m.replaceAll("${k}<$2>") + " " + m.reset().replaceFirst("\\$x") + " " + m.reset().replaceAll(r -> r.group(2) + Matcher.quoteReplacement("$")));
        StringBuilder b = new StringBuilder();
        m.reset();
        while (m.find()) m.appendReplacement(b, m.group("k").toUpperCase());
        System.out.println(m.appendTail(b));
        try { m.reset().replaceAll("$9"); } catch (IndexOutOfBoundsException e) { System.out.println(e.getMessage()); }
        try { m.group(); } catch (IllegalStateException e) { System.out.println(e.getMessage()); }
        m = Pattern.compile("^b").matcher("abc").region(1, 3);
        System.out.println(m.find() + " " + m.useAnchoringBounds(false).reset().region(1, 3).find() + " " + m.lookingAt() + " " + m.matches());
        System.out.println(Arrays.toString("a1b22c".split("\\d")) + Arrays.toString(",a,,b,,".split(",")) + Arrays.toString(",a,,b,,".split(",", -1)) + Arrays.toString("abc".split("")) + Arrays.toString("a.b".split(".", 2)));
        System.out.println(Pattern.compile("\\d+").splitAsStream("a1b2c").collect(Collectors.toList()) + " " + Pattern.compile("[aeiou]").matcher("education").results().map(MatchResult::group).collect(Collectors.joining()) + " " + Stream.of("x1", "y").filter(Pattern.compile("\\d").asPredicate()).count() + " " + Pattern.compile("a").asMatchPredicate().test("ab"));
    }
}
