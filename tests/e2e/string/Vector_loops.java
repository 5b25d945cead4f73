// Library methods whose loops process several elements at once: strings and arrays of every length up to several
// vectors, both encodings, matches at every position and none, ranges that end midway, invalid arguments.
import java.nio.ByteBuffer;
import java.util.*;
import java.util.zip.CRC32C;

public class Vector_loops {
    static final Random random = new Random(5);
    static long sum;

    static void add(long value) { sum = sum * 31 + value; }

    // Few ASCII letters, any Latin-1, few wide letters, or a single wide one among others.
    static String text(int n) {
        char[] c = new char[n];
        int kind = random.nextInt(4);
        for (int i = 0; i < n; i++)
            c[i] = (char) (kind == 0 ? 'a' + random.nextInt(3) : kind == 1 ? random.nextInt(256) : kind == 2 ? 0x3b0 + random.nextInt(3)
                : random.nextInt(40) == 0 ? random.nextInt(65536) : 'a' + random.nextInt(4));
        return new String(c);
    }

    static void search(String s, String word, int from) {
        for (String w : new String[] {word, ""}) {
            add(s.indexOf(w));
            add(s.indexOf(w, from));
            add(s.lastIndexOf(w));
            add(new StringBuilder(w).append(s).append(w).indexOf(w, 1));
        }
        for (int c : new int[] {'b', 0xff, 0x3b1, 0x1e1, 0x1f600}) add(s.indexOf(c) + 3L * s.indexOf(c, from));
        add(s.compareTo(word) + (s.equals(word) ? 1 : 0) + s.compareToIgnoreCase(word));
    }

    static void convert(String s, int from) throws Exception {
        for (String charset : new String[] {"UTF-8", "ISO-8859-1", "US-ASCII", "UTF-16"}) {
            byte[] b = s.getBytes(charset);
            add(Arrays.hashCode(b) + new String(b, charset).hashCode());
        }
        char[] to = new char[s.length() + 3];
        s.getChars(from, s.length(), to, 2);
        add(Arrays.hashCode(to) + new String(s.toCharArray()).hashCode());
        add(new StringBuilder(s).append('\u4e00').append(s).toString().hashCode());
    }

    static void arrays(int n, int value) {
        byte[] b = new byte[n];
        char[] c = new char[n];
        int[] i = new int[n];
        long[] l = new long[n];
        Arrays.fill(b, (byte) value);
        Arrays.fill(c, (char) -value);
        Arrays.fill(i, value);
        Arrays.fill(l, value * -77777777777L);
        add(Arrays.hashCode(b) + Arrays.hashCode(c) + Arrays.hashCode(i) + Arrays.hashCode(l));
        byte[] other = b.clone();
        if (n > 0) other[random.nextInt(n)] ^= random.nextInt(2);
        add(Arrays.mismatch(b, other) + Arrays.compare(b, other) + (Arrays.equals(b, other) ? 1 : 0));
        CRC32C crc = new CRC32C();
        int at = random.nextInt(n + 1);
        crc.update(other, at, n - at);
        crc.update(ByteBuffer.wrap(other));
        add(crc.getValue());
    }

    public static void main(String[] args) throws Exception {
        for (int round = 0; round < 3000; round++) {
            int n = random.nextInt(90), from = random.nextInt(n + 1);
            String s = text(n), word = s.substring(from, Math.min(n, from + random.nextInt(20)));
            search(s, word, random.nextInt(n + 2) - 1);
            convert(s, from);
            arrays(n, round);
        }
        System.out.println(sum);
        byte[] crc = "123456789".getBytes();
        CRC32C known = new CRC32C();
        known.update(crc);
        System.out.println(Long.toHexString(known.getValue()));
        try { new String(new char[3], 2, 5); } catch (StringIndexOutOfBoundsException e) { System.out.println(e.getMessage()); }
        try { Arrays.fill((int[]) null, 3); } catch (NullPointerException e) { System.out.println("null"); }
        try { known.update(crc, 2, 9); } catch (ArrayIndexOutOfBoundsException e) { System.out.println("range"); }
    }
}
