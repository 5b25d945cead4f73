// java.io files and streams: create, list, rename, delete, copies, buffered and data streams, errors.
import java.io.*;
import java.util.*;

public class File_streams {
    public static void main(String[] args) throws Exception {
        File d = new File("dir/sub");
        System.out.println(d.mkdir() + " " + d.mkdirs() + " " + d.isDirectory() + " " + d.getParent() + " " + d.getName());
        File f = new File(d, "a.bin");
        System.out.println(f.exists() + " " + f.createNewFile() + " " + f.createNewFile() + " " + f.length() + " " + f.isFile() + " " + f.canRead());
        try (DataOutputStream o = new DataOutputStream(new BufferedOutputStream(new FileOutputStream(f), 16))) {
            o.writeBoolean(true); o.writeByte(-1); o.writeShort(-2); o.writeChar('\u4e2d'); o.writeInt(123456789); o.writeLong(-1L << 40); o.writeFloat(1.5f); o.writeDouble(-2.25); o.writeUTF("utf \u0000\u00e9\u4e2d\ud83d\ude00"); o.writeBytes("by"); o.writeChars("ch");
            System.out.println(o.size());
        }
        System.out.println(f.length());
        try (DataInputStream i = new DataInputStream(new BufferedInputStream(new FileInputStream(f)))) {
            System.out.println(i.readBoolean() + " " + i.readByte() + " " + i.readShort() + " " + i.readChar() + " " + i.readInt() + " " + i.readLong() + " " + i.readFloat() + " " + i.readDouble() + " " + i.readUTF().length() + " " + i.readUnsignedByte() + " " + i.skipBytes(1) + " " + i.available() + " " + i.readUnsignedShort());
            i.readFully(new byte[2]);
            try {
                i.readInt();
            } catch (EOFException e) {
                System.out.println("EOF " + i.read());
            }
        }
        try (RandomAccessFile r = new RandomAccessFile(f, "rw")) {
            r.seek(3);
            r.writeInt(0x01020304);
            r.seek(4);
            System.out.println(r.readShort() + " " + r.getFilePointer() + " " + r.length());
            r.setLength(5);
            r.seek(10);
            r.write(9);
            System.out.println(r.length() + " " + f.length());
            r.seek(7);
            System.out.println(r.read() + " " + r.read(new byte[10]) + " " + r.read());
        }
        try (FileOutputStream o = new FileOutputStream(f, true)) { o.write("appended".getBytes()); o.getFD().sync(); }
        try (FileInputStream i = new FileInputStream(f)) {
            System.out.println(i.available() + " " + i.skip(11) + " " + new String(i.readNBytes(3)) + " " + new String(i.readAllBytes()) + " " + i.read());
        }
        PushbackInputStream p = new PushbackInputStream(new ByteArrayInputStream("xyz".getBytes()), 2);
        int x = p.read();
        p.unread(x);
        p.unread('w');
        System.out.println((char) p.read() + "" + (char) p.read() + (char) p.read());
        SequenceInputStream s = new SequenceInputStream(new ByteArrayInputStream("one".getBytes()), new ByteArrayInputStream("two".getBytes()));
        System.out.println(new String(s.readAllBytes()));
        BufferedInputStream b = new BufferedInputStream(new ByteArrayInputStream("0123456789".getBytes()), 4);
        b.read();
        b.mark(8);
        b.skip(5);
        b.reset();
        System.out.println((char) b.read() + " " + b.markSupported());
        File g = new File("renamed.bin");
        System.out.println(f.renameTo(g) + " " + f.exists() + " " + g.exists() + " " + d.delete() + " " + new File("dir").delete() + " " + g.setReadOnly() + " " + g.setLastModified(1_000_000_000_000L) + " " + g.lastModified());
        new File("x1").createNewFile(); new File("x2").mkdir();
        String[] l = new File(".").list((dir, n) -> n.startsWith("x") || n.endsWith("bin"));
        Arrays.sort(l);
        System.out.println(Arrays.toString(l) + " " + new File("nope").list() + " " + g.delete());
        for (String bad : new String[]{"no/such/file", "x2", ""}) {
            try {
                new FileInputStream(bad);
            } catch (FileNotFoundException e) {
                System.out.println(e.getMessage());
            }
        }
        try (FileOutputStream o = new FileOutputStream("closed")) {
            o.close();
            o.write(1);
        } catch (IOException e) {
            System.out.println(e.getMessage());
        }
        System.out.println(new File("/a/../b/./c").getPath() + " " + new File("/tmp/../x").getCanonicalPath() + " " + new File("a", "b").equals(new File("a/b")) + " " + new File("rel").isAbsolute() + " " + new File("/a//b/").getPath() + " " + new File("b").compareTo(new File("c")) + " " + new File("sp ace").toURI().toString().endsWith("/sp%20ace"));
        File t = File.createTempFile("pre", ".suf", new File("."));
        System.out.println(t.getName().startsWith("pre") + " " + t.getName().endsWith(".suf"));
        t.deleteOnExit();
    }
}
