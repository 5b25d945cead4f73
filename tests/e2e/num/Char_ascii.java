// java.lang.Character's predicates on every character and on invalid code points; often enough for compiled code.
public class Char_ascii {
    static int kinds(int c) {
        return (Character.isDigit(c) ? 1 : 0) + (Character.isLetter(c) ? 2 : 0) + (Character.isLetterOrDigit(c) ? 4 : 0)
            + (Character.isAlphabetic(c) ? 8 : 0) + (Character.isUpperCase(c) ? 16 : 0) + (Character.isLowerCase(c) ? 32 : 0)
            + (Character.isWhitespace(c) ? 64 : 0) + (Character.isJavaIdentifierStart(c) ? 128 : 0)
            + (Character.isJavaIdentifierPart(c) ? 256 : 0);
    }

    static int kinds(char c) {
        return (Character.isDigit(c) ? 1 : 0) + (Character.isLetter(c) ? 2 : 0) + (Character.isLetterOrDigit(c) ? 4 : 0)
            + (Character.isAlphabetic(c) ? 8 : 0) + (Character.isUpperCase(c) ? 16 : 0) + (Character.isLowerCase(c) ? 32 : 0)
            + (Character.isWhitespace(c) ? 64 : 0) + (Character.isJavaIdentifierStart(c) ? 128 : 0)
            + (Character.isJavaIdentifierPart(c) ? 256 : 0);
    }

    public static void main(String[] args) {
        StringBuilder b = new StringBuilder();
        for (int c = 0; c < 256; c++) {
            b.append(Integer.toHexString(kinds(c))).append(' ').append(Character.toLowerCase(c)).append(' ')
                .append((int) Character.toUpperCase((char) c)).append(c % 16 == 15 ? '\n' : ',');
        }
        System.out.print(b);
        long sum = 0;
        for (int round = 0; round < 4; round++) {
            for (int c = 0; c < 0x11000; c++)
                sum = sum * 31 + kinds(c) + kinds((char) c) * 512 + Character.toLowerCase(c) + Character.toUpperCase(c) * 7L
                    + Character.toLowerCase((char) c) + Character.toUpperCase((char) c);
            for (int c = -70; c < 0; c++) sum = sum * 31 + kinds(c) + Character.toLowerCase(c) + Character.toUpperCase(c);
        }
        System.out.println(sum);
    }
}
