// Digests, MACs, signatures with seeded keys, key agreement, cipher streams, key wrapping, certificate names.
import java.io.*;
import java.math.BigInteger;
import java.security.*;
import java.security.interfaces.*;
import java.security.spec.*;
import java.util.*;
import javax.crypto.*;
import javax.crypto.spec.*;

public class Digest_vectors {
    static String hex(byte[] b) { return HexFormat.of().formatHex(b); }

    public static void main(String[] args) throws Exception {
        byte[] text = "The quick brown fox".getBytes(), big = new byte[1000];
        for (int i = 0; i < big.length; i++) big[i] = (byte) (i * i);
        for (String a : new String[]{"MD2", "MD5", "SHA-1", "SHA-224", "SHA-256", "SHA-384", "SHA-512", "SHA-512/256", "SHA3-224", "SHA3-256", "SHA3-512"}) {
            MessageDigest d = MessageDigest.getInstance(a);
            d.update(text);
            MessageDigest c = (MessageDigest) d.clone();
            d.update(big, 3, 900);
            System.out.println(a + " " + hex(c.digest()) + " " + hex(d.digest()).substring(0, 16) + " " + d.getDigestLength() + " " + hex(d.digest()).substring(0, 8));
        }
        for (String a : new String[]{"HmacMD5", "HmacSHA1", "HmacSHA512", "HmacSHA3-256"}) { Mac m = Mac.getInstance(a); m.init(new SecretKeySpec(text, a)); System.out.println(a + " " + hex(m.doFinal(big)).substring(0, 24)); }
        byte[] key = Arrays.copyOf(text, 16), iv = Arrays.copyOf(big, 16);
        for (String a : new String[]{"DES/CBC/PKCS5Padding:8", "DESede/CBC/PKCS5Padding:24", "Blowfish/ECB/PKCS5Padding:16", "RC2/ECB/PKCS5Padding:8", "ARCFOUR:16", "AES/CFB8/NoPadding:16", "AES/OFB/NoPadding:16", "AES/CBC/NoPadding:16", "ChaCha20-Poly1305:32"}) {
            String t = a.substring(0, a.indexOf(':'));
            SecretKeySpec k = new SecretKeySpec(Arrays.copyOf(big, Integer.parseInt(a.substring(a.indexOf(':') + 1))), t.split("/")[0].split("-")[0]);
            Cipher c = Cipher.getInstance(t);
            AlgorithmParameterSpec s = t.contains("DES") ? new IvParameterSpec(iv, 0, 8) : t.startsWith("ChaCha") ? new IvParameterSpec(iv, 0, 12) : t.contains("ECB") || t.equals("ARCFOUR") ? null : new IvParameterSpec(iv);
            c.init(Cipher.ENCRYPT_MODE, k, s);
            byte[] e = c.doFinal(big, 0, 64);
            c = Cipher.getInstance(t);
            c.init(Cipher.DECRYPT_MODE, k, s);
            System.out.println(t + " " + e.length + " " + Arrays.hashCode(e) + " " + Arrays.equals(c.doFinal(e), Arrays.copyOf(big, 64)));
        }
        Cipher st = Cipher.getInstance("AES/CBC/PKCS5Padding");
        st.init(Cipher.ENCRYPT_MODE, new SecretKeySpec(key, "AES"), new IvParameterSpec(iv));
        ByteArrayOutputStream bo = new ByteArrayOutputStream();
        try (CipherOutputStream o = new CipherOutputStream(bo, st)) { o.write(big); }
        st.init(Cipher.DECRYPT_MODE, new SecretKeySpec(key, "AES"), new IvParameterSpec(iv));
        System.out.println(Arrays.equals(new CipherInputStream(new ByteArrayInputStream(bo.toByteArray()), st).readAllBytes(), big) + " " + bo.size());
        Cipher wrap = Cipher.getInstance("AESWrap");
        wrap.init(Cipher.WRAP_MODE, new SecretKeySpec(key, "AES"));
        System.out.println(hex(wrap.wrap(new SecretKeySpec(iv, "AES"))));
        for (Object[] bad : new Object[][]{{"AES/CBC/NoPadding", 15}, {"AES/ECB/PKCS5Padding", 33}}) { Cipher c = Cipher.getInstance((String) bad[0]); c.init(((String) bad[0]).contains("ECB") ? Cipher.DECRYPT_MODE : Cipher.ENCRYPT_MODE, new SecretKeySpec(key, "AES")); try { c.doFinal(new byte[(Integer) bad[1]]); } catch (GeneralSecurityException e) { System.out.println(e); } }
        try { Cipher.getInstance("AES").init(Cipher.ENCRYPT_MODE, new SecretKeySpec(new byte[5], "AES")); } catch (InvalidKeyException e) { System.out.println(e.getMessage()); }
        KeyFactory ec = KeyFactory.getInstance("EC");
        AlgorithmParameters ap = AlgorithmParameters.getInstance("EC");
        ap.init(new ECGenParameterSpec("secp256r1"));
        ECParameterSpec es = ap.getParameterSpec(ECParameterSpec.class);
        PrivateKey pk = ec.generatePrivate(new ECPrivateKeySpec(new BigInteger("123456789abcdef", 16), es));
        System.out.println(((ECPrivateKey) pk).getParams().getCurve().getField().getFieldSize() + " " + hex(pk.getEncoded()).length());
        KeyPairGenerator g = KeyPairGenerator.getInstance("Ed25519");
        KeyPair kp = g.generateKeyPair();
        Signature sg = Signature.getInstance("Ed25519");
        sg.initSign(kp.getPrivate());
        sg.update(text);
        byte[] sig = sg.sign();
        sg.initVerify(kp.getPublic());
        sg.update(text);
        System.out.println(sig.length + " " + sg.verify(sig));
        KeyPairGenerator x = KeyPairGenerator.getInstance("X25519");
        KeyPair a = x.generateKeyPair(), b = x.generateKeyPair();
        KeyAgreement ka = KeyAgreement.getInstance("X25519"), kb = KeyAgreement.getInstance("X25519");
        ka.init(a.getPrivate());
        ka.doPhase(b.getPublic(), true);
        kb.init(b.getPrivate());
        kb.doPhase(a.getPublic(), true);
        System.out.println(Arrays.equals(ka.generateSecret(), kb.generateSecret()));
        System.out.println(new javax.security.auth.x500.X500Principal("CN=Duke, OU=J, O=\"A, B\", C=US").getName() + " " + Security.getAlgorithms("MessageDigest").contains("SHA-256"));
    }
}
