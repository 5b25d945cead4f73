// Scanner: delimiters, kinds of tokens, radix, locales, patterns, lines against tokens, errors that do not consume.
import java.util.*;
import java.util.regex.*;
import java.util.stream.*;

public class Scanner_tokens {
    public static void main(String[] args) {
        Scanner s = new Scanner("12 0x1f 3.5 true word -7 99999999999 1,234 NaN \n next line\n\nlast").useLocale(Locale.US);
        StringBuilder b = new StringBuilder();
        while (s.hasNext()) {
            if (s.hasNextByte()) b.append("byte ").append(s.nextByte());
            else if (s.hasNextInt()) b.append("int ").append(s.nextInt());
            else if (s.hasNextLong()) b.append("long ").append(s.nextLong());
            else if (s.hasNextDouble()) b.append("double ").append(s.nextDouble());
            else if (s.hasNextBoolean()) b.append("bool ").append(s.nextBoolean());
            else b.append("word ").append(s.next());
            b.append("; ");
        }
        System.out.println(b);
        Scanner l = new Scanner("5\nline two\n\n6 rest\r\nend");
        System.out.println(l.nextInt() + "[" + l.nextLine() + "][" + l.nextLine() + "][" + l.nextLine() + "]" + l.nextInt() + "[" + l.nextLine() + "]" + l.hasNextLine() + l.nextLine() + l.hasNextLine());
        try { l.nextLine(); } catch (NoSuchElementException e) { System.out.println(e.getMessage()); }
        Scanner d = new Scanner("a--b-c---").useDelimiter("-");
        System.out.println(d.tokens().map(x -> "<" + x + ">").collect(Collectors.joining()) + " " + new Scanner("a, b ,c").useDelimiter("\\s*,\\s*").tokens().collect(Collectors.toList()));
        Scanner e = new Scanner("abc 12");
        try { e.nextInt(); } catch (InputMismatchException x) { System.out.println(x.getMessage() + " then " + e.next() + " " + e.nextInt()); }
        try { e.next(); } catch (NoSuchElementException x) { System.out.println(x.getClass().getSimpleName()); }
        System.out.println(new Scanner("ff zz 777").useRadix(16).nextInt() + " " + new Scanner("777").nextInt(8) + " " + new Scanner("1.234,5").useLocale(Locale.GERMANY).nextDouble() + " " + new Scanner("123456789012345678901234567890").nextBigInteger() + " " + new Scanner("1e5").useLocale(Locale.US).nextBigDecimal());
        Scanner f = new Scanner("key=value; k2=v2");
        System.out.println(f.findInLine("(\\w+)=(\\w+)") + " " + f.match().group(2) + " " + f.findWithinHorizon("k\\d", 3) + " " + f.findWithinHorizon("k\\d", 0) + " " + f.skip("=").next());
        System.out.println(new Scanner("a1b2").findAll("[a-z]\\d").map(MatchResult::group).collect(Collectors.toList()));
        Scanner c = new Scanner("x");
        c.close();
        try { c.next(); } catch (IllegalStateException x) { System.out.println(x.getMessage()); }
        System.out.println(new Scanner(new java.io.StringReader("r s")).next() + new Scanner(new java.io.ByteArrayInputStream("\u00e9 t".getBytes(java.nio.charset.StandardCharsets.UTF_8)), java.nio.charset.StandardCharsets.UTF_8).next().length());
    }
}
