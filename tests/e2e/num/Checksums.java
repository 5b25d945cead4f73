// CRC32, CRC32C, Adler32, MD5, SHA: intrinsic candidates in HotSpot, plain code elsewhere.
import java.nio.ByteBuffer;
import java.security.MessageDigest;
import java.util.zip.*;

public class Checksums {
    static String hex(byte[] b) { return java.util.HexFormat.of().formatHex(b); }

    public static void main(String[] args) throws Exception {
        byte[] data = new byte[2500];
        for (int i = 0; i < data.length; i++) data[i] = (byte) (i * i + 7 * i);
        for (Checksum c : new Checksum[]{new CRC32(), new CRC32C(), new Adler32()}) {
            c.update(data, 0, data.length);
            System.out.print(Long.toHexString(c.getValue()) + " ");
            c.reset();
            c.update(data, 3, 1001);
            c.update(77);
            System.out.print(Long.toHexString(c.getValue()) + " ");
            ByteBuffer direct = ByteBuffer.allocateDirect(700);
            direct.put(data, 0, 700).flip();
            c.update(direct);
            System.out.println(Long.toHexString(c.getValue()));
        }
        for (String a : new String[]{"MD5", "SHA-1", "SHA-256", "SHA-512", "SHA3-256"}) {
            MessageDigest d = MessageDigest.getInstance(a);
            System.out.println(a + " " + hex(d.digest("abc".getBytes())) + " " + hex(d.digest(data)));
        }
    }
}
