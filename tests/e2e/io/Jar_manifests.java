// Jars and zips: long manifest lines, stored and deflated entries, extra fields, streams, file system, deflaters.
import java.io.*;
import java.net.URI;
import java.nio.file.*;
import java.util.*;
import java.util.jar.*;
import java.util.stream.*;
import java.util.zip.*;

public class Jar_manifests {
    public static void main(String[] args) throws Exception {
        Manifest m = new Manifest();
        m.getMainAttributes().put(Attributes.Name.MANIFEST_VERSION, "1.0");
        m.getMainAttributes().putValue("Long-Value", "0123456789".repeat(15) + "\u00e9");
        m.getEntries().put("a/very/" + "long/".repeat(20) + "name", new Attributes());
        m.getEntries().values().iterator().next().putValue("X", "y");
        ByteArrayOutputStream mo = new ByteArrayOutputStream();
        m.write(mo);
        System.out.println(mo.toString("UTF-8").lines().mapToInt(l -> l.getBytes().length).max().getAsInt() + " " + new Manifest(new ByteArrayInputStream(mo.toByteArray())).equals(m));
        for (String bad : new String[]{"Manifest-Version: 1.0\n continuation\n", "NoColon\n", "Bad Name: x\n", ": x\n"}) try { System.out.println(new Manifest(new ByteArrayInputStream(bad.getBytes())).getMainAttributes().size()); } catch (IOException e) { System.out.println("refused"); }
        CRC32 crc = new CRC32();
        byte[] data = "stored content".getBytes(), big = new byte[70000];
        new Random(1).nextBytes(big);
        Arrays.fill(big, 1000, 60000, (byte) 7);
        crc.update(data);
        try (JarOutputStream o = new JarOutputStream(new FileOutputStream("x.jar"), m)) {
            ZipEntry s = new ZipEntry("stored.txt");
            s.setMethod(ZipEntry.STORED);
            s.setSize(data.length);
            s.setCrc(crc.getValue());
            s.setComment("c\u00f6mment");
            o.putNextEntry(s);
            o.write(data);
            ZipEntry d = new ZipEntry("dir/deflated.bin");
            d.setTime(1_000_000_000_000L);
            d.setExtra(new byte[]{(byte) 0xfe, (byte) 0xca, 2, 0, 1, 2});
            o.putNextEntry(d);
            o.write(big);
            o.putNextEntry(new ZipEntry("empty/"));
            o.setComment("whole");
            o.setLevel(9);
            try { o.putNextEntry(new ZipEntry("stored.txt")); } catch (ZipException e) { System.out.println(e.getMessage()); }
            try { ZipEntry z = new ZipEntry("nosize"); z.setMethod(ZipEntry.STORED); o.putNextEntry(z); } catch (ZipException e) { System.out.println(e.getMessage()); }
        }
        try (JarFile j = new JarFile("x.jar")) {
            System.out.println(j.getComment() + " " + j.size() + " " + j.stream().map(ZipEntry::getName).map(n -> n.length() > 30 ? "long" : n).collect(Collectors.toList()));
            ZipEntry e = j.getEntry("dir/deflated.bin"), s = j.getEntry("stored.txt");
            System.out.println(e.getSize() + " " + (e.getCompressedSize() < 70000) + " " + Long.toHexString(e.getCrc()) + " " + e.getMethod() + " " + e.getExtra().length + " " + s.getMethod() + " " + s.getComment() + " " + s.isDirectory() + j.getEntry("empty/").isDirectory() + " " + j.getEntry("empty") + " " + j.getEntry("none") + " " + Arrays.equals(j.getInputStream(e).readAllBytes(), big) + " " + j.getManifest().equals(m));
        }
        try (JarInputStream i = new JarInputStream(new FileInputStream("x.jar"))) {
            System.out.print((i.getManifest() != null) + " ");
            for (ZipEntry e; (e = i.getNextEntry()) != null; ) System.out.print(e.getName() + ":" + i.readAllBytes().length + " ");
            System.out.println();
        }
        try (FileSystem fs = FileSystems.newFileSystem(URI.create("jar:" + Path.of("x.jar").toUri()), Map.of())) {
            Files.writeString(fs.getPath("/new.txt"), "added");
            Files.copy(fs.getPath("stored.txt"), fs.getPath("/dir/copy.txt"));
            Files.delete(fs.getPath("/dir/deflated.bin"));
            try (Stream<Path> w = Files.walk(fs.getPath("/"))) { System.out.println(w.map(Path::toString).sorted().collect(Collectors.toList())); }
            System.out.println(fs.isReadOnly() + " " + fs.getSeparator() + " " + Files.isDirectory(fs.getPath("dir")) + " " + fs.getPath("/a/../dir/./copy.txt").normalize());
        }
        try (ZipFile z = new ZipFile("x.jar")) { System.out.println(z.stream().count() + " " + new String(z.getInputStream(z.getEntry("new.txt")).readAllBytes())); }
        byte[] whole = Files.readAllBytes(Path.of("x.jar"));
        Files.write(Path.of("cut.jar"), Arrays.copyOf(whole, whole.length - 30));
        for (String n : new String[]{"cut.jar", "absent.jar"}) try { new ZipFile(n); } catch (IOException e) { System.out.println(e.getClass().getSimpleName() + " " + e.getMessage()); }
        Deflater d = new Deflater(9, true);
        d.setDictionary("common words".getBytes());
        d.setInput("common words and more common words".getBytes());
        d.finish();
        byte[] out = new byte[100];
        int n = d.deflate(out);
        Inflater in = new Inflater(true);
        in.setDictionary("common words".getBytes());
        in.setInput(out, 0, n);
        byte[] back = new byte[100];
        int k = in.inflate(back);
        System.out.println(n + " " + new String(back, 0, k) + " " + in.finished() + " " + in.getRemaining() + " " + d.getTotalIn() + " " + d.getAdler() + " " + in.needsInput());
        try { Inflater w = new Inflater(); w.setInput(new byte[]{1, 2, 3, 4}); w.inflate(back); } catch (DataFormatException e) { System.out.println(e.getMessage()); }
        ByteArrayOutputStream g = new ByteArrayOutputStream();
        for (int i = 0; i < 2; i++) try (GZIPOutputStream o = new GZIPOutputStream(g)) { o.write(("part" + i).getBytes()); }
        System.out.println(new String(new GZIPInputStream(new ByteArrayInputStream(g.toByteArray())).readAllBytes()));
        byte[] gz = g.toByteArray();
        gz[gz.length - 6] ^= 1;
        try { new GZIPInputStream(new ByteArrayInputStream(gz)).readAllBytes(); } catch (ZipException e) { System.out.println(e.getMessage()); }
    }
}
