// Deflater, inflater, gzip, zip streams, ZipFile, jar files and manifests, checked streams, corrupt input.
import java.io.*;
import java.nio.file.*;
import java.util.*;
import java.util.jar.*;
import java.util.zip.*;

public class Zip_roundtrip {
    static byte[] data(int n, int kind) {
        byte[] b = new byte[n];
        for (int i = 0; i < n; i++) b[i] = (byte) (kind == 0 ? 'a' + i % 7 : (i * 7919 >> 3) ^ i);
        return b;
    }

    public static void main(String[] args) throws Exception {
        for (int level : new int[]{0, 1, 6, 9}) {
            byte[] in = data(5000, 0), buf = new byte[8000], back = new byte[5000];
            Deflater d = new Deflater(level, true);
            d.setInput(in);
            d.finish();
            int n = d.deflate(buf);
            Inflater i = new Inflater(true);
            i.setInput(buf, 0, n);
            System.out.println(level + " " + n + " " + i.inflate(back) + " " + Arrays.equals(in, back) + " " + i.finished() + " " + d.getTotalIn() + " " + i.getRemaining() + " " + d.getAdler());
            d.end();
            i.end();
        }
        ByteArrayOutputStream bo = new ByteArrayOutputStream();
        try (GZIPOutputStream g = new GZIPOutputStream(bo)) { g.write(data(3000, 1)); }
        byte[] gz = bo.toByteArray();
        System.out.println(gz.length + " " + Arrays.equals(new GZIPInputStream(new ByteArrayInputStream(gz)).readAllBytes(), data(3000, 1)));
        gz[gz.length - 6] ^= 1;
        try {
            new GZIPInputStream(new ByteArrayInputStream(gz)).readAllBytes();
        } catch (ZipException e) {
            System.out.println(e.getMessage());
        }
        try {
            new GZIPInputStream(new ByteArrayInputStream(new byte[20]));
        } catch (ZipException e) {
            System.out.println(e.getMessage());
        }
        try (ZipOutputStream z = new ZipOutputStream(new FileOutputStream("t.zip"))) {
            z.setComment("the comment");
            for (int k = 0; k < 4; k++) {
                ZipEntry e = new ZipEntry("dir/e" + k + ".txt");
                e.setTime(1_000_000_000_000L);
                e.setComment("c" + k);
                if (k == 3) { e.setMethod(ZipEntry.STORED); byte[] b = data(100, 1); e.setSize(100); CRC32 c = new CRC32(); c.update(b); e.setCrc(c.getValue()); z.putNextEntry(e); z.write(b); }
                else { z.putNextEntry(e); z.write(data(k * 500, 0)); }
                z.closeEntry();
            }
            try {
                z.putNextEntry(new ZipEntry("dir/e0.txt"));
            } catch (ZipException e) {
                System.out.println(e.getMessage());
            }
        }
        try (ZipFile z = new ZipFile("t.zip")) {
            System.out.println(z.size() + " " + z.getComment());
            for (Enumeration<? extends ZipEntry> en = z.entries(); en.hasMoreElements(); ) {
                ZipEntry e = en.nextElement();
                System.out.println(e.getName() + " " + e.getSize() + " " + Long.toHexString(e.getCrc()) + " " + e.getMethod() + " " + e.getComment() + " " + e.isDirectory() + " " + z.getInputStream(e).readAllBytes().length);
            }
            System.out.println(z.getEntry("nope"));
        }
        try (ZipInputStream z = new ZipInputStream(new FileInputStream("t.zip"))) {
            int n = 0;
            for (ZipEntry e; (e = z.getNextEntry()) != null; ) n += e.getName().length() + z.readAllBytes().length;
            System.out.println(n);
        }
        Manifest m = new Manifest();
        m.getMainAttributes().put(Attributes.Name.MANIFEST_VERSION, "1.0");
        m.getMainAttributes().putValue("X-Long", "v".repeat(100));
        try (JarOutputStream j = new JarOutputStream(new FileOutputStream("t.jar"), m)) { j.putNextEntry(new JarEntry("a/b")); j.write(1); }
        try (JarFile j = new JarFile("t.jar")) {
            System.out.println(j.getManifest().getMainAttributes().getValue("X-Long").length() + " " + j.stream().map(ZipEntry::getName).toList());
        }
        try (FileSystem fs = FileSystems.newFileSystem(Path.of("t.zip"))) {
            System.out.println(Files.size(fs.getPath("dir/e2.txt")) + " " + Files.list(fs.getPath("/dir")).count());
        }
        try {
            Files.write(Path.of("bad.zip"), new byte[]{1, 2, 3});
            new ZipFile("bad.zip");
        } catch (ZipException e) {
            System.out.println(e.getMessage());
        }
        CheckedInputStream c = new CheckedInputStream(new ByteArrayInputStream(data(50, 0)), new Adler32());
        c.readAllBytes();
        InflaterInputStream ii = new InflaterInputStream(new DeflaterInputStream(new ByteArrayInputStream(data(700, 1))));
        System.out.println(c.getChecksum().getValue() + " " + ii.readAllBytes().length);
        Inflater bad = new Inflater();
        bad.setInput(new byte[]{9, 9, 9, 9});
        try {
            bad.inflate(new byte[10]);
        } catch (DataFormatException e) {
            System.out.println(e.getMessage());
        }
    }
}
