import java.nio.ByteBuffer;
import java.nio.CharBuffer;
import java.nio.charset.CharsetEncoder;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/** Methods that the VM implements, called from interpreted code and so compiled alone; some arguments are invalid. */
public class Alone {
    private static final char[][] TEXTS = {"a text of ASCII letters".toCharArray(), "\u00e9t\u00e9".toCharArray(), new char[0], "letters, then \u1234".toCharArray()};

    private static long encoded(CharsetEncoder encoder, char[] text) {
        ByteBuffer bytes = ByteBuffer.allocate(40);
        encoder.reset();
        encoder.encode(CharBuffer.wrap(text), bytes, true);
        return bytes.position();
    }

    public static void main(String[] args) {
        long sum = 0;
        CharsetEncoder ascii = StandardCharsets.US_ASCII.newEncoder(), latin1 = StandardCharsets.ISO_8859_1.newEncoder();
        for (int i = 0; i < 2000; i++) {
            char[] text = TEXTS[i % TEXTS.length];
            String s = new String(text), t = s + i % 3;
            sum = sum * 31 + encoded(ascii, text) + encoded(latin1, text) + s.getBytes(StandardCharsets.UTF_8).length;
            sum += s.hashCode() + s.compareTo(t) + t.indexOf(s) + t.indexOf('t') + t.toUpperCase().length() + Arrays.hashCode(text);
            sum += (Character.isDigit(t.charAt(t.length() - 1)) ? 1 : 0) + (t.equals(s) ? 1 : 0) + (Arrays.equals(text, t.toCharArray()) ? 1 : 0);
        }
        System.out.println(sum);
    }
}
