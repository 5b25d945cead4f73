// timeout: 150
// Message digests and checksums of messages of every length up to several blocks, at every alignment, in pieces, of
// much data at once, and the published test vectors.
import java.security.*;
import java.util.*;
import java.util.zip.*;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;

public class Message_digests {
    static final String[] NAMES = {"MD5", "SHA-1", "SHA-224", "SHA-256", "SHA-384", "SHA-512", "SHA-512/256", "SHA3-256"};
    static final Random random = new Random(11);

    static String hex(byte[] b) {
        StringBuilder s = new StringBuilder();
        for (byte x : b) s.append(Character.forDigit(x >> 4 & 15, 16)).append(Character.forDigit(x & 15, 16));
        return s.toString();
    }

    static byte[] bytes(int n) {
        byte[] b = new byte[n];
        random.nextBytes(b);
        return b;
    }

    static void vectors() throws Exception {
        for (String name : NAMES)
            for (String text : new String[] {"", "abc", "abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq",
                "abcdefghbcdefghicdefghijdefghijkefghijklfghijklmghijklmnhijklmnoijklmnopjklmnopqklmnopqrlmnopqrsmnopqrstnopqrstu", "a".repeat(1000000)})
                System.out.println(name + " " + text.length() + " " + hex(MessageDigest.getInstance(name).digest(text.getBytes("US-ASCII"))));
    }

    static void lengths() throws Exception {
        byte[] from = bytes(700);
        for (String name : NAMES) {
            MessageDigest d = MessageDigest.getInstance(name);
            long sum = 0;
            for (int n = 0; n < 290; n++) {
                int at = n % 17;
                d.update(from, at, n);
                sum = sum * 31 + Arrays.hashCode(d.digest());
                for (int done = 0, step; done < n; done += step) {
                    step = Math.min(n - done, 1 + random.nextInt(150));
                    d.update(from, at + done, step);
                    if (random.nextInt(3) == 0) d = (MessageDigest) d.clone();
                }
                sum = sum * 31 + Arrays.hashCode(d.digest());
            }
            System.out.println(name + " " + sum);
        }
    }

    static void large() throws Exception {
        byte[] b = bytes(5_000_000);
        for (String name : NAMES) System.out.println(name + " " + hex(MessageDigest.getInstance(name).digest(b)));
        Mac mac = Mac.getInstance("HmacSHA256");
        mac.init(new SecretKeySpec(bytes(40), "x"));
        System.out.println(hex(mac.doFinal(b)));
        byte[] signed = new byte[64];
        System.out.println(hex(new SecureRandomLike().digest(signed)));
    }

    // A user-defined digest must not be mistaken for a library one.
    static class SecureRandomLike extends MessageDigest {
        int sum;
        SecureRandomLike() { super("sum"); }
        protected void engineUpdate(byte b) { sum = sum * 31 + b; }
        protected void engineUpdate(byte[] b, int at, int n) { for (int i = 0; i < n; i++) engineUpdate(b[at + i]); }
        protected byte[] engineDigest() { return new byte[] {(byte) sum, (byte) (sum >> 8)}; }
        protected void engineReset() { sum = 0; }
    }

    static void checksums() {
        byte[] from = bytes(3000);
        Checksum[] all = {new CRC32(), new CRC32C(), new Adler32()};
        for (Checksum c : all) {
            long sum = 0;
            for (int n = 0; n < 300; n++) {
                c.update(from, n % 19, n);
                sum = sum * 31 + c.getValue();
                if (n % 7 == 0) c.reset();
                c.update(n);
            }
            for (int n = 300; n < 2900; n += 13) {
                c.update(from, n % 19, n);
                sum = sum * 31 + c.getValue();
                c.update(java.nio.ByteBuffer.allocateDirect(n).put(from, 0, n).flip());
                sum = sum * 31 + c.getValue();
            }
            System.out.println(sum);
            for (int i = 0; i < 3; i++)
                try {
                    c.update(i == 0 ? null : from, i == 1 ? -1 : 2990, 20);
                    System.out.println("done");
                } catch (NullPointerException e) {
                    System.out.println("null");
                } catch (ArrayIndexOutOfBoundsException e) {
                    System.out.println("bounds");
                }
            System.out.println(c.getValue());
        }
    }

    public static void main(String[] args) throws Exception {
        vectors();
        for (int i = 0; i < 6; i++) lengths();
        large();
        for (int i = 0; i < 6; i++) checksums();
        MessageDigest d = MessageDigest.getInstance("SHA-256");
        try {
            d.update(new byte[10], 5, 6);
        } catch (IllegalArgumentException e) {
            System.out.println(e.getMessage());
        }
    }
}
