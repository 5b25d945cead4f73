// Regular expressions: groups, lookaround, quantifiers, flags, replacement, splitting, errors.
import java.util.*;
import java.util.regex.*;
import java.util.stream.Collectors;

public class Regex_matching {
    public static void main(String[] args) {
        Matcher m = Pattern.compile("(?<key>\\w+)\\s*=\\s*(?<val>\"[^\"]*\"|\\S+)").matcher("a = 1, name=\"two words\" z=");
        while (m.find()) System.out.println(m.group("key") + " -> " + m.group(2) + " @" + m.start() + "-" + m.end(1));
        String[][] tests = {{"a*b+c?", "aabbc"}, {"^\\d{3}-\\d{4}$", "555-1234"}, {"(a|b)*abb", "ababb"}, {"(\\w)\\1", "hello"}, {"(?i)HELLO", "hello"}, {"[^a-c&&[^x]]+", "xyz"}, {"\\p{Lu}\\p{Ll}+", "\u00c9tude"}, {"(?=.*\\d)(?=.*[a-z]).{4,}", "abc1"},
            {"(?<!x)y", "xy y"}, {"a.c", "a\nc"}, {"(?s)a.c", "a\nc"}, {"(?m)^b$", "a\nb\nc"}, {"(?x) a b # comment\n c", "abc"}, {"\\bword\\b", "a word here"}, {"(a++)ab", "aaab"}, {"(?>a+)b", "aab"}, {"x{2,3}?", "xxxx"}, {"\\Q.*\\E", "a.*b"}, {"[\\u4e00-\\u9fff]+", "abc\u4e2d\u6587"}, {"\\R", "a\r\nb"}, {"\\X", "e\u0301x"}, {"(a(b)?)+", "aba"}};
        for (String[] t : tests) {
            Matcher x = Pattern.compile(t[0]).matcher(t[1]);
            boolean all = x.matches();
            boolean found = x.reset().find();
            System.out.println(t[0].replace("\n", "\\n") + " " + all + " " + x.reset().lookingAt() + " " + found + (x.reset().find() ? " [" + x.group().replace("\n", "\\n").replace("\r", "\\r") + "] " + x.groupCount() + " " + x.start() : ""));
        }
        System.out.println("2020-01-31".replaceAll("(\\d+)-(\\d+)-(\\d+)", "$3/$2/$1") + " " + "aXbX".replaceAll("X", Matcher.quoteReplacement("$\\")) + " " + Pattern.compile("\\d+").matcher("a1b22").replaceAll(r -> "<" + Integer.parseInt(r.group()) * 2 + ">"));
        System.out.println(Arrays.toString("a,b,,c,,".split(",")) + Arrays.toString("a,b,,c,,".split(",", -1)) + Arrays.toString("a1b2c3".split("\\d", 2)) + Arrays.toString("".split(",")) + Arrays.toString("abc".split("")) + Arrays.toString(" x  y ".split("\\s+")) + Arrays.toString("a.b".split(".")) + Arrays.toString("a|b".split("|")) + Arrays.toString("boo:and:foo".split("o")));
        System.out.println(Pattern.compile("\\s*[,;]\\s*").splitAsStream("x , y;z").collect(Collectors.toList()) + " " + Pattern.compile("[aeiou]").matcher("education").results().map(MatchResult::start).collect(Collectors.toList()) + " " + Pattern.compile("b").asPredicate().test("abc"));
        StringBuilder sb = new StringBuilder();
        Matcher r = Pattern.compile("\\$\\{(\\w+)\\}").matcher("Hi ${user}, ${greet}!");
        while (r.find()) r.appendReplacement(sb, r.group(1).toUpperCase());
        System.out.println(r.appendTail(sb));
        Matcher reg = Pattern.compile("a+").matcher("aaaabaa");
        reg.region(1, 3);
        System.out.println(reg.matches() + " " + reg.hitEnd() + " " + reg.regionEnd() + " " + reg.toMatchResult().group());
        for (String bad : new String[]{"(", "[a", "*a", "a{2", "(?<n>a)(?<n>b)", "\\"}) {
            try {
                Pattern.compile(bad);
                System.out.println("compiled " + bad);
            } catch (PatternSyntaxException e) {
                System.out.println(e.getDescription() + " " + e.getIndex());
            }
        }
        try {
            Pattern.compile("x").matcher("y").group();
        } catch (IllegalStateException e) {
            System.out.println(e.getMessage());
        }
    }
}
