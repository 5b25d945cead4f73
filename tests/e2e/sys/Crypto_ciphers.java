// The security providers: ciphers, macs, key derivation, signatures, key factories, random.
import java.math.BigInteger;
import java.security.*;
import java.security.spec.*;
import java.util.*;
import javax.crypto.*;
import javax.crypto.spec.*;

public class Crypto_ciphers {
    static String hex(byte[] b) { return HexFormat.of().formatHex(b); }

    public static void main(String[] args) throws Exception {
        byte[] key = new byte[16], iv = new byte[16], text = "sixteen byte msg and more".getBytes();
        for (int i = 0; i < 16; i++) { key[i] = (byte) i; iv[i] = (byte) (i * 7); }
        for (String t : new String[]{"AES/ECB/PKCS5Padding", "AES/CBC/PKCS5Padding", "AES/CTR/NoPadding", "AES/GCM/NoPadding"}) {
            Cipher c = Cipher.getInstance(t);
            AlgorithmParameterSpec spec = t.contains("ECB") ? null : t.contains("GCM") ? new GCMParameterSpec(128, Arrays.copyOf(iv, 12)) : new IvParameterSpec(iv);
            c.init(Cipher.ENCRYPT_MODE, new SecretKeySpec(key, "AES"), spec);
            byte[] e = c.doFinal(text);
            c.init(Cipher.DECRYPT_MODE, new SecretKeySpec(key, "AES"), spec);
            System.out.println(t + " " + hex(e) + " " + Arrays.equals(c.doFinal(e), text));
            if (t.contains("GCM")) {
                e[0] ^= 1;
                try {
                    c.init(Cipher.DECRYPT_MODE, new SecretKeySpec(key, "AES"), spec);
                    c.doFinal(e);
                } catch (AEADBadTagException x) {
                    System.out.println("tag mismatch");
                }
            }
        }
        Mac m = Mac.getInstance("HmacSHA256");
        m.init(new SecretKeySpec(key, "HmacSHA256"));
        System.out.println(hex(m.doFinal(text)));
        System.out.println(hex(SecretKeyFactory.getInstance("PBKDF2WithHmacSHA256").generateSecret(new PBEKeySpec("pw".toCharArray(), iv, 20, 128)).getEncoded()));
        BigInteger p = new BigInteger("170141183460469231731687303715884105727").nextProbablePrime(), q = BigInteger.TWO.pow(521).subtract(BigInteger.ONE), n = p.multiply(q), e = BigInteger.valueOf(65537), d = e.modInverse(p.subtract(BigInteger.ONE).multiply(q.subtract(BigInteger.ONE)));
        KeyFactory f = KeyFactory.getInstance("RSA");
        Signature s = Signature.getInstance("SHA256withRSA");
        s.initSign(f.generatePrivate(new RSAPrivateKeySpec(n, d)));
        s.update(text);
        byte[] sig = s.sign();
        s.initVerify(f.generatePublic(new RSAPublicKeySpec(n, e)));
        s.update(text);
        System.out.println(Arrays.hashCode(sig) + " " + s.verify(sig));
        SecureRandom r = new SecureRandom();
        byte[] b1 = new byte[16], b2 = new byte[16];
        r.nextBytes(b1);
        r.nextBytes(b2);
        System.out.println(Arrays.equals(b1, b2) + " " + (KeyGenerator.getInstance("AES").generateKey().getEncoded().length > 15));
        try {
            MessageDigest.getInstance("NOPE");
        } catch (NoSuchAlgorithmException x) {
            System.out.println(x.getMessage());
        }
        System.out.println(Security.getProvider("SUN").getName() + " " + MessageDigest.isEqual(key, key.clone()));
    }
}
