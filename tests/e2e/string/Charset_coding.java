// Encoding and decoding: malformed and unmappable input, replacement, BOMs, several charsets.
import java.nio.*;
import java.nio.charset.*;
import java.util.*;

public class Charset_coding {
    static String hex(byte[] b) { return HexFormat.ofDelimiter(" ").formatHex(b); }

    public static void main(String[] args) throws Exception {
        String s = "aé\u4e2d\ud83d\ude00\ud800z";
        for (String cs : new String[]{"UTF-8", "UTF-16", "UTF-16LE", "UTF-16BE", "UTF-32", "ISO-8859-1", "US-ASCII", "windows-1252", "ISO-8859-15"}) {
            byte[] b = s.getBytes(cs);
            System.out.println(cs + " " + hex(b) + " " + new String(b, cs).equals(s) + " " + new String(b, cs).length());
        }
        byte[][] bad = {{(byte) 0xff}, {(byte) 0xc0, (byte) 0x80}, {(byte) 0xe4, (byte) 0xb8}, {(byte) 0xed, (byte) 0xa0, (byte) 0x80}, {'a', (byte) 0xf0, (byte) 0x9f, (byte) 0x98, 'b'}, {(byte) 0x80, 'x'}, {(byte) 0xf4, (byte) 0x90, (byte) 0x80, (byte) 0x80}};
        for (byte[] b : bad) {
            String d = new String(b, StandardCharsets.UTF_8);
            System.out.print(d.length() + ":" + d.chars().filter(c -> c == 0xfffd).count() + " ");
        }
        System.out.println();
        CharsetDecoder dec = StandardCharsets.UTF_8.newDecoder().onMalformedInput(CodingErrorAction.REPORT);
        for (byte[] b : bad) {
            try {
                dec.decode(ByteBuffer.wrap(b));
                System.out.println("ok");
            } catch (CharacterCodingException e) {
                System.out.println(e);
            }
        }
        try {
            StandardCharsets.US_ASCII.newEncoder().encode(CharBuffer.wrap("é"));
        } catch (UnmappableCharacterException e) {
            System.out.println(e);
        }
        CharsetEncoder enc = StandardCharsets.UTF_8.newEncoder();
        ByteBuffer small = ByteBuffer.allocate(3);
        CharBuffer in = CharBuffer.wrap("ab\u4e2d");
        System.out.println(enc.encode(in, small, true) + " " + small.position() + " " + in.remaining() + " " + enc.maxBytesPerChar() + " " + enc.canEncode('\ud800'));
        System.out.println(Charset.forName("latin1") + " " + Charset.isSupported("no-such") + " " + Charset.defaultCharset() + " " + StandardCharsets.UTF_8.aliases());
        try {
            Charset.forName("no-such");
        } catch (UnsupportedCharsetException e) {
            System.out.println(e);
        }
        try {
            "x".getBytes("bogus");
        } catch (java.io.UnsupportedEncodingException e) {
            System.out.println(e);
        }
        byte[] all = new byte[256];
        for (int i = 0; i < 256; i++) all[i] = (byte) i;
        System.out.println(new String(all, "ISO-8859-1").hashCode() + " " + new String(all, "windows-1252").hashCode() + " " + new String(all, "US-ASCII").hashCode() + " " + Arrays.equals(new String(all, "ISO-8859-1").getBytes("ISO-8859-1"), all));
        System.out.println(Base64.getEncoder().encodeToString(all).hashCode() + " " + Base64.getMimeEncoder().encodeToString(all).length() + " " + new String(Base64.getUrlDecoder().decode("_-8=")).length() + " " + hex(HexFormat.of().parseHex("cafe")));
        System.out.println(java.net.URLEncoder.encode("a b&c=é/", "UTF-8") + " " + java.net.URLDecoder.decode("a+b%26%C3%A9", "UTF-8"));
    }
}
