// Text blocks, escapes, string literals of all kinds and their interning.
public class Text_blocks {
    static final String A = "con" + "stant" + 1 + 2L + 'c' + 1.5f + true;

    public static void main(String[] args) {
        String t = """
            Hello, "world"
              indented \
            joined
            tab\there trailing\040
            \"""quoted\"""
            """;
        System.out.print(t);
        System.out.println(t.length() + " " + t.hashCode() + " " + t.lines().count());
        System.out.println("""
            a
             b
              c""".indent(2).replace(' ', '.'));
        System.out.println("\0\7\b\f\u0041\101\377".chars().sum() + " \\ \" ' \u20ac \ud83d\ude00");
        System.out.println(A + " " + (A == "constant12c1.5true") + " " + (A == new String(A)) + " " + (A == new String(A).intern()));
        String s = "con";
        System.out.println((s + "stant12c1.5true") == A);
        System.out.println("".isEmpty() + " " + "\u00ff".length() + " " + "\ud83d\ude00".length() + " " + "\ud83d\ude00".codePointCount(0, 2));
        System.out.println("  strip \u2003".strip().length() + " " + "x\\ty\\n".translateEscapes().length());
    }
}
