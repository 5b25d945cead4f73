// Charset coders on bad input: report, replace, ignore; overflow and underflow of small buffers, flush and reset.
import java.nio.*;
import java.nio.charset.*;
import java.util.*;

public class Charset_malformed {
    static String hex(byte[] b) { return HexFormat.of().formatHex(b); }
    static String esc(String s) { StringBuilder b = new StringBuilder(); for (char c : s.toCharArray()) if (c > 31 && c < 127) b.append(c); else b.append(String.format("\\u%04x", (int) c)); return b.toString(); }

    public static void main(String[] args) throws Exception {
        String[] bad = {"61ff62", "c080", "e28261", "f0288cbc", "eda080", "f4908080", "c3", "e282", "f09f98", "80", "fe", "edb080eda080", "f8888080", "e0809f", "61"};
        for (String h : bad) {
            byte[] b = HexFormat.of().parseHex(h);
            StringBuilder o = new StringBuilder(h + " " + esc(new String(b, StandardCharsets.UTF_8)));
            for (CodingErrorAction a : new CodingErrorAction[]{CodingErrorAction.REPORT, CodingErrorAction.IGNORE, CodingErrorAction.REPLACE}) {
                CharsetDecoder d = StandardCharsets.UTF_8.newDecoder().onMalformedInput(a).onUnmappableCharacter(a).replaceWith("?");
                try { o.append(" | ").append(esc(d.decode(ByteBuffer.wrap(b)).toString())); } catch (CharacterCodingException e) { o.append(" | ").append(e.getClass().getSimpleName()).append(' ').append(e.getMessage()); }
            }
            System.out.println(o);
        }
        for (String cs : new String[]{"US-ASCII", "ISO-8859-1", "UTF-16", "UTF-16LE", "UTF-32", "windows-1252", "Shift_JIS", "GB18030", "Big5", "EUC-KR", "ISO-2022-JP", "IBM037", "KOI8-R", "x-UTF-16LE-BOM", "ISO-8859-15", "TIS-620"}) {
            Charset c = Charset.forName(cs);
            String s = "a\u00e9\u20ac\u65e5\ud83d\ude00\ud800z\u0416\u0e01";
            byte[] b = s.getBytes(c);
            System.out.println(c + " " + hex(b) + " " + esc(new String(b, c)) + " " + c.newEncoder().canEncode('\u20ac') + " " + c.newEncoder().maxBytesPerChar() + " " + c.newDecoder().averageCharsPerByte() + " " + c.contains(StandardCharsets.US_ASCII) + " " + hex(c.newEncoder().replacement()));
        }
        CharsetEncoder e = StandardCharsets.UTF_8.newEncoder();
        ByteBuffer small = ByteBuffer.allocate(4);
        CharBuffer in = CharBuffer.wrap("ab\u20ac\u20ac");
        System.out.println(e.encode(in, small, false) + " " + small.position() + " " + in.position());
        small.clear();
        System.out.println(e.encode(in, small, true) + " " + small.position() + " " + in.remaining());
        small.clear();
        System.out.println(e.encode(in, small, true) + " " + e.flush(small));
        try { e.encode(in, small, false); } catch (IllegalStateException x) { System.out.println(x.getMessage()); }
        e.reset();
        System.out.println(e.encode(CharBuffer.wrap("\ud83d"), ByteBuffer.allocate(9), true) + " " + StandardCharsets.ISO_8859_1.newEncoder().encode(CharBuffer.wrap("\u0416"), ByteBuffer.allocate(9), true));
        for (String n : new String[]{"no-such", "bad name", "", null}) try { Charset.forName(n); } catch (IllegalArgumentException x) { System.out.println(x.getClass().getSimpleName() + " " + x.getMessage()); }
        System.out.println(Charset.isSupported("latin1") + " " + Charset.forName("latin1") + " " + Charset.forName("utf8").aliases().contains("UTF8") + " " + Charset.defaultCharset() + " " + StandardCharsets.UTF_8.compareTo(StandardCharsets.US_ASCII) + " " + Charset.availableCharsets().size());
    }
}
