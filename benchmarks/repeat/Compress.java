import java.io.*;
import java.util.zip.CRC32;
import org.apache.commons.compress.compressors.bzip2.*;

/** Compresses text and random bytes with bzip2 and unpacks them again; prints sizes and a checksum. */
public final class Compress {
    private Compress() { }

    private static byte[] input(int kilobytes) {
        byte[] data = new byte[kilobytes * 1024];
        int state = 12345;
        String[] words = {"the ", "profile ", "of ", "a ", "program ", "counts ", "every ", "edge\n"};
        for (int at = 0; at < data.length; ) {
            state = state * 1103515245 + 12345;
            if ((state >>> 16) % 9 == 0) {
                data[at++] = (byte) (state >>> 20);
                continue;
            }
            for (char c : words[(state >>> 18) % words.length].toCharArray()) if (at < data.length) data[at++] = (byte) c;
        }
        return data;
    }

    public static void main(String[] args) throws IOException {
        byte[] data = input(Integer.parseInt(args[0]));
        ByteArrayOutputStream packed = new ByteArrayOutputStream();
        try (OutputStream out = new BZip2CompressorOutputStream(packed, 2)) {
            out.write(data);
        }
        CRC32 crc = new CRC32();
        try (InputStream in = new BZip2CompressorInputStream(new ByteArrayInputStream(packed.toByteArray()))) {
            crc.update(in.readAllBytes());
        }
        System.out.println(data.length + " " + packed.size() + " " + crc.getValue());
    }
}
