// timeout: 150
// AES with all key lengths, in all modes that the class library implements separately: published vectors, texts of
// every length, in place and not, in pieces, counter overflow, forged tags, buffers. DES in the same modes.
import java.nio.ByteBuffer;
import java.security.*;
import java.util.*;
import javax.crypto.*;
import javax.crypto.spec.*;

public class Block_ciphers {
    static final Random random = new Random(17);
    static long sum;

    static void add(byte[] b) { sum = sum * 31 + Arrays.hashCode(b); }

    static byte[] bytes(int n) {
        byte[] b = new byte[n];
        random.nextBytes(b);
        return b;
    }

    static byte[] parse(String hex) {
        byte[] b = new byte[hex.length() / 2];
        for (int i = 0; i < b.length; i++) b[i] = (byte) Integer.parseInt(hex.substring(2 * i, 2 * i + 2), 16);
        return b;
    }

    static String hex(byte[] b) {
        StringBuilder s = new StringBuilder();
        for (byte x : b) s.append(Character.forDigit(x >> 4 & 15, 16)).append(Character.forDigit(x & 15, 16));
        return s.toString();
    }

    static AlgorithmParameterSpecs spec(String mode, byte[] iv) { return new AlgorithmParameterSpecs(mode, iv); }

    static class AlgorithmParameterSpecs {
        final String mode;
        final byte[] iv;
        AlgorithmParameterSpecs(String mode, byte[] iv) { this.mode = mode; this.iv = iv; }

        Cipher begin(String algorithm, byte[] key, int way, String padding) throws Exception {
            Cipher c = Cipher.getInstance(algorithm + "/" + mode + "/" + padding);
            SecretKeySpec k = new SecretKeySpec(key, algorithm);
            if (mode.equals("ECB")) c.init(way, k);
            else c.init(way, k, mode.equals("GCM") ? new GCMParameterSpec(128, iv) : new IvParameterSpec(iv));
            return c;
        }
    }

    static void vectors() throws Exception {
        byte[] text = parse("00112233445566778899aabbccddeeff");
        for (int n : new int[] {16, 24, 32}) {
            byte[] key = new byte[n];
            for (int i = 0; i < n; i++) key[i] = (byte) i;
            byte[] out = spec("ECB", null).begin("AES", key, Cipher.ENCRYPT_MODE, "NoPadding").doFinal(text);
            System.out.println(hex(out) + " " + hex(spec("ECB", null).begin("AES", key, Cipher.DECRYPT_MODE, "NoPadding").doFinal(out)));
        }
        Cipher c = spec("GCM", parse("cafebabefacedbaddecaf888")).begin("AES", parse("feffe9928665731c6d6a8f9467308308"), Cipher.ENCRYPT_MODE, "NoPadding");
        c.updateAAD(parse("feedfacedeadbeeffeedfacedeadbeefabaddad2"));
        System.out.println(hex(c.doFinal(parse("d9313225f88406e5a55909c5aff5269a86a7a9531534f7da2e4c303d8a318a721c3c0c95956809532fcf0e2449a6b525"
            + "b16aedf5aa0de657ba637b39"))));
    }

    static void mode(String algorithm, String mode, int keyLength, int ivLength, int n) throws Exception {
        byte[] key = bytes(keyLength), iv = bytes(ivLength), text = bytes(n);
        if (n % 5 == 0) Arrays.fill(iv, ivLength / 4, ivLength, (byte) -1);
        AlgorithmParameterSpecs s = spec(mode, iv);
        boolean pads = mode.equals("ECB") || mode.equals("CBC");
        String padding = pads ? "PKCS5Padding" : "NoPadding";
        byte[] whole = s.begin(algorithm, key, Cipher.ENCRYPT_MODE, padding).doFinal(text);
        add(whole);
        byte[] pieces = new byte[whole.length + 7], back;
        Cipher c = s.begin(algorithm, key, Cipher.ENCRYPT_MODE, padding);
        int at = 5;
        for (int done = 0, step; done < n; done += step) {
            step = Math.min(n - done, 1 + random.nextInt(40));
            at += c.update(text, done, step, pieces, at);
        }
        at += c.doFinal(pieces, at);
        if (!Arrays.equals(whole, Arrays.copyOfRange(pieces, 5, at))) throw new AssertionError(mode + " in pieces, " + n);
        back = s.begin(algorithm, key, Cipher.DECRYPT_MODE, padding).doFinal(whole);
        if (!Arrays.equals(text, back)) throw new AssertionError(mode + " back, " + n);
        byte[] place = Arrays.copyOf(whole, whole.length + 40);  // in place, and shifted within one array
        int length = s.begin(algorithm, key, Cipher.DECRYPT_MODE, padding).doFinal(place, 0, whole.length, place, 0);
        if (!Arrays.equals(text, Arrays.copyOf(place, length))) throw new AssertionError(mode + " in place, " + n);
        System.arraycopy(whole, 0, place, 3, whole.length);
        length = s.begin(algorithm, key, Cipher.DECRYPT_MODE, padding).doFinal(place, 3, whole.length, place, 8);
        if (!Arrays.equals(text, Arrays.copyOfRange(place, 8, 8 + length))) throw new AssertionError(mode + " shifted, " + n);
        ByteBuffer from = ByteBuffer.allocateDirect(whole.length).put(whole).flip(), to = ByteBuffer.allocate(n + 32);
        s.begin(algorithm, key, Cipher.DECRYPT_MODE, padding).doFinal(from, to);
        if (!to.flip().equals(ByteBuffer.wrap(text))) throw new AssertionError(mode + " buffers, " + n);
        if (mode.equals("GCM")) {
            whole[random.nextInt(whole.length)] ^= 1;
            try {
                s.begin(algorithm, key, Cipher.DECRYPT_MODE, padding).doFinal(whole);
                throw new AssertionError("forged");
            } catch (AEADBadTagException e) {
                sum++;
            }
        }
    }

    static void refused() throws Exception {
        Cipher c = spec("CBC", bytes(16)).begin("AES", bytes(16), Cipher.ENCRYPT_MODE, "NoPadding");
        for (int i = 0; i < 4; i++)
            try {
                System.out.println(i == 0 ? c.doFinal(bytes(17)).length : i == 1 ? c.update(bytes(32), 0, 32, new byte[16], 0)
                    : i == 2 ? c.update(bytes(32), 20, 20).length : c.update(bytes(64), 0, 64, new byte[70], 8));
            } catch (GeneralSecurityException | IllegalArgumentException e) {
                System.out.println(e.getClass().getName());
            }
    }

    public static void main(String[] args) throws Exception {
        vectors();
        String[] modes = {"ECB", "CBC", "CTR", "GCM", "CFB", "OFB"};
        for (int n = 0; n < 330; n++)
            for (String m : modes) mode("AES", m, 16 + 8 * (n % 3), m.equals("GCM") ? 12 + n % 2 * 5 : 16, n);
        System.out.println(sum);
        for (String m : modes) for (int n : new int[] {1000, 4096, 16384, 70001}) mode("AES", m, 32, m.equals("GCM") ? 12 : 16, n);
        for (int n = 0; n < 60; n++) for (String m : new String[] {"ECB", "CBC", "CTR"}) mode("DES", m, 8, 8, n);
        System.out.println(sum);
        refused();
        byte[] large = spec("CTR", new byte[16]).begin("AES", new byte[16], Cipher.ENCRYPT_MODE, "NoPadding").doFinal(new byte[3_000_000]);
        System.out.println(Arrays.hashCode(large));
    }
}
