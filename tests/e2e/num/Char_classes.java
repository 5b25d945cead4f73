// Character classification and case mapping over all planes.
public class Char_classes {
    public static void main(String[] args) {
        long h = 0;
        int letters = 0, digits = 0, upper = 0, space = 0, ident = 0;
        for (int cp = 0; cp < 0x3000; cp++) {
            if (Character.isLetter(cp)) letters++;
            if (Character.isDigit(cp)) digits++;
            if (Character.isUpperCase(cp)) upper++;
            if (Character.isWhitespace(cp)) space++;
            if (Character.isJavaIdentifierPart(cp)) ident++;
            h = h * 31 + Character.getType(cp) + Character.toLowerCase(cp) * 7 + Character.toUpperCase(cp) * 13 + Character.digit(cp, 16);
        }
        System.out.println(letters + " " + digits + " " + upper + " " + space + " " + ident + " " + h);
        int[] cps = {'a', 'Z', '5', 0xdf, 0x130, 0x1c5, 0x4e2d, 0x1f600, 0x1d400, 0x10ffff, 0xd800, 0x661, 0xfb01};
        for (int cp : cps) {
            System.out.println(Integer.toHexString(cp) + " " + Character.getType(cp) + " " + Character.charCount(cp) + " " + Character.getName(cp) + " " + Character.isLetterOrDigit(cp) + " " + Character.getNumericValue(cp) + " " + Character.isSurrogate((char) cp)
                + " " + Character.toTitleCase(cp) + " " + Character.getDirectionality(cp) + " " + Character.UnicodeBlock.of(cp) + " " + Character.UnicodeScript.of(cp));
        }
        System.out.println("stra\u00dfe".toUpperCase() + " " + "\u0130I".toLowerCase() + " " + "TITLE".toLowerCase(java.util.Locale.forLanguageTag("tr")) + " " + "\u03a3\u03a3".toLowerCase() + " " + "\ufb01".toUpperCase());
        System.out.println(Character.forDigit(11, 16) + " " + Character.digit('z', 36) + " " + Character.MIN_RADIX + " " + Character.highSurrogate(0x1f600) + 0 + " " + Character.toCodePoint('\ud83d', '\ude00') + " " + Character.isMirrored('('));
    }
}
