// Base64, HexFormat, UUID, StringJoiner, StringTokenizer, Properties and Formatter targets.
import java.io.*;
import java.util.*;

public class Codec_utilities {
    interface Op { Object run() throws Exception; }
    static String t(Op o) { try { return String.valueOf(o.run()); } catch (Exception e) { return e.getClass().getSimpleName() + "(" + e.getMessage() + ")"; } }

    public static void main(String[] args) throws Exception {
        byte[] all = new byte[100];
        for (int i = 0; i < 100; i++) all[i] = (byte) (i * 37);
        for (int n = 0; n < 5; n++) System.out.print(Base64.getEncoder().encodeToString(Arrays.copyOf(all, n)) + " " + Base64.getUrlEncoder().withoutPadding().encodeToString(Arrays.copyOf(all, n)) + " ");
        System.out.println();
        System.out.println(Base64.getMimeEncoder().encodeToString(all).replace("\r\n", "|") + " " + Base64.getMimeEncoder(8, new byte[]{'#'}).encodeToString(Arrays.copyOf(all, 10)));
        for (String s : new String[]{"QUJD", "QUI=", "QUI", "QQ==", "Q", "QU==JD", "QU JD", "_-8=", "=", "QUJ=", "QR==", "\u00e9aaa"}) System.out.print(t(() -> Arrays.toString(Base64.getDecoder().decode(s))) + "; " + t(() -> Base64.getMimeDecoder().decode(s).length) + "; " + t(() -> Base64.getUrlDecoder().decode(s).length) + " / ");
        System.out.println();
        ByteArrayOutputStream bo = new ByteArrayOutputStream();
        try (OutputStream o = Base64.getEncoder().wrap(bo)) { for (byte b : all) o.write(b); }
        System.out.println(Arrays.equals(Base64.getDecoder().wrap(new ByteArrayInputStream(bo.toByteArray())).readAllBytes(), all));
        HexFormat h = HexFormat.ofDelimiter(":").withUpperCase().withPrefix("<").withSuffix(">");
        System.out.println(h.formatHex(all, 1, 4) + " " + Arrays.toString(h.parseHex("<01>:<FF>")) + " " + t(() -> h.parseHex("<01>:<F>")) + " " + HexFormat.of().toHexDigits((short) 0xabc) + " " + HexFormat.fromHexDigits("7fffffff") + " " + t(() -> HexFormat.fromHexDigit('g')) + " " + h);
        UUID u = UUID.fromString("123e4567-e89b-12d3-a456-426614174000");
        System.out.println(u + " " + u.version() + " " + u.variant() + " " + u.timestamp() + " " + u.clockSequence() + " " + Long.toHexString(u.node()) + " " + UUID.nameUUIDFromBytes("name".getBytes()) + " " + UUID.fromString("1-2-3-4-5") + " " + t(() -> UUID.fromString("x")) + " " + t(() -> new UUID(0, 0).timestamp()) + " " + UUID.randomUUID().version() + " " + new UUID(-1, 1).compareTo(new UUID(1, 1)) + " " + u.hashCode());
        StringJoiner j = new StringJoiner(",", "{", "}").setEmptyValue("EMPTY");
        System.out.print(j + " " + j.length() + " ");
        j.add("a").add(null).merge(new StringJoiner("-", "[", "]").add("x").add("y")).merge(new StringJoiner("+"));
        System.out.println(j + " " + j.length());
        StringTokenizer k = new StringTokenizer("a,b;;c", ",;", true);
        StringBuilder b = new StringBuilder();
        while (k.hasMoreTokens()) b.append(k.countTokens()).append(k.nextToken()).append(' ');
        System.out.println(b + t(k::nextToken) + " " + new StringTokenizer("a b\tc").countTokens() + " " + new StringTokenizer("x y-z").nextToken("-"));
        Properties p = new Properties(), d = new Properties();
        d.setProperty("dflt", "from defaults");
        p = new Properties(d);
        p.load(new StringReader("# c\n! c2\na=1\nb : two\\\n   continued\nkey\\ with\\=odd value\n\\u0041\\t=\\u00e9\\n\nempty\n  lead = \\  space \na=again"));
        System.out.println(new TreeMap<>(p) + " " + p.getProperty("dflt") + " " + p.getProperty("none", "x") + " " + new TreeSet<>(p.stringPropertyNames()) + " " + p.containsKey("dflt"));
        StringWriter w = new StringWriter();
        Properties q = new Properties();
        q.setProperty(" k:=#", " v\u00e9\n\\!");
        q.store(w, "multi\nline");
        System.out.println(w.toString().replaceAll("(?m)^#\\w{3} .*\\d{4}$", "#date").trim());
        ByteArrayOutputStream x = new ByteArrayOutputStream();
        q.storeToXML(x, "c");
        Properties r = new Properties();
        r.loadFromXML(new ByteArrayInputStream(x.toByteArray()));
        System.out.println(r.equals(q) + " " + t(() -> { new Properties().load(new StringReader("a=\\u00g1")); return 0; }));
        StringBuilder fb = new StringBuilder();
        try (Formatter f = new Formatter(fb, Locale.FRANCE)) { f.format("%,d %s", 1234567, "x").format("%n"); System.out.println(f.locale() + " " + (f.out() == fb) + " " + f.ioException()); }
        System.out.println(fb.toString().trim().replace('\u202f', '_'));
    }
}
