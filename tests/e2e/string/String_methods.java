// The String API: searching, substring, comparison, replace, repeat, lines, chars, regionMatches.
import java.util.*;
import java.util.stream.Collectors;

public class String_methods {
    static void oops(Runnable r) {
        try {
            r.run();
            System.out.println("fine");
        } catch (NullPointerException e) {
            System.out.println("NullPointerException");
        } catch (RuntimeException e) {
            System.out.println(e.getClass().getSimpleName() + ": " + e.getMessage());
        }
    }

    public static void main(String[] args) {
        String s = "Hello, World";
        System.out.println(s.indexOf('o') + " " + s.indexOf('o', 5) + " " + s.lastIndexOf('o') + " " + s.indexOf("World") + " " + s.indexOf("") + " " + s.lastIndexOf("") + " " + s.indexOf("xyz") + " " + s.indexOf('\u4e2d') + " " + s.contains("lo, ") + " " + s.lastIndexOf("l", 5) + " " + s.indexOf("o", -9) + " " + s.indexOf("o", 99));
        System.out.println(s.substring(7) + "|" + s.substring(0, 5) + "|" + s.substring(12) + "|" + s.charAt(4) + "|" + s.codePointAt(1) + "|" + s.subSequence(2, 4));
        System.out.println(s.compareTo("Hello") + " " + "a".compareTo("b") + " " + "a".compareTo("\u4e2d") + " " + "\u4e2d".compareTo("a") + " " + "ABC".compareToIgnoreCase("abd") + " " + "\u00e9".compareToIgnoreCase("\u00c9") + " " + "STRASSE".equalsIgnoreCase("strasse") + " " + "".compareTo("x"));
        System.out.println(s.startsWith("Hell") + " " + s.startsWith("o", 4) + " " + s.endsWith("") + " " + s.endsWith("ld") + " " + s.regionMatches(true, 7, "xWORLD", 1, 5) + " " + s.regionMatches(7, "WORLD", 0, 5) + " " + s.contentEquals(new StringBuilder(s)));
        System.out.println(s.replace('l', 'L') + " " + s.replace("l", "[l]") + " " + s.replace("", "-") + " " + s.replace('z', 'y').equals(s) + " " + s.replaceAll("[aeiou]", "<$0>") + " " + s.replaceFirst("o", "0"));
        System.out.println("  x ".trim() + "|" + "\u2003x\u2003".trim().length() + "|" + "\u2003x\u2003".strip() + "|" + " a ".stripLeading() + "|" + " a ".stripTrailing() + "|" + " \t\n".isBlank() + "|" + "ab".repeat(3) + "|" + "x".repeat(0) + "|" + "\u4e2d".repeat(2));
        System.out.println("a\nb\r\nc\rd".lines().collect(Collectors.toList()) + " " + "abc".chars().sum() + " " + "a\ud83d\ude00".codePoints().boxed().collect(Collectors.toList()) + " " + "b,a".transform(x -> x + "!"));
        System.out.println(String.valueOf((Object) null) + String.valueOf(new char[]{'a', 'b'}) + String.valueOf(new char[]{'a', 'b', 'c'}, 1, 2) + String.copyValueOf(new char[]{'q'}) + String.join("/", List.of("x", "y")) + String.join("-", "p", null, "q"));
        System.out.println(Arrays.toString("a1b22c".toCharArray()) + " " + "hash".hashCode() + " " + "".hashCode() + " " + "\u4e2d\u6587".hashCode() + " " + "f5a5a608".hashCode());
        System.out.println(("a" + s).intern() == ("a" + s).intern());
        System.out.println("Hello".equals(null) + " " + "Hello".equals(new StringBuilder("Hello")) + " " + "\u00e9a".equals("\u00e9b") + " " + "%d-%s".formatted(5, "x") + " " + " a\n  b\n".stripIndent().replace("\n", "|") + " " + "a".concat("b").concat(""));
        oops(() -> s.charAt(12)); oops(() -> s.charAt(-1)); oops(() -> s.substring(13)); oops(() -> s.substring(-1)); oops(() -> s.substring(3, 2)); oops(() -> "x".repeat(-1)); oops(() -> s.codePointAt(50)); oops(() -> s.contains(null)); oops(() -> new String(new char[2], 1, 2)); oops(() -> s.indexOf("", 100)); oops(() -> s.compareTo(null)); oops(() -> "\u4e2d".charAt(1)); oops(() -> s.subSequence(1, 99));
        System.out.println(String.CASE_INSENSITIVE_ORDER.compare("abc", "ABD") + " " + "ss".describeConstable().get() + " " + "A-B".chars().filter(Character::isLetter).count());
        char[] dst = "..........".toCharArray();
        s.getChars(0, 5, dst, 3);
        System.out.println(new String(dst) + new String(dst, 2, 3) + new String(new int[]{0x1f600, 'a'}, 0, 2).length());
    }
}
