// Rarely used streams and their errors: pipes, sequences, push-back, tokenizers, line numbers, data, random access.
import java.io.*;
import java.util.*;

public class Piped_streams {
    interface Op { Object run() throws Exception; }
    static String t(Op o) { try { return String.valueOf(o.run()); } catch (Exception e) { return e.getClass().getSimpleName() + "(" + e.getMessage() + ")"; } }

    public static void main(String[] args) throws Exception {
        PipedOutputStream out = new PipedOutputStream();
        PipedInputStream in = new PipedInputStream(out, 16);
        Thread w = new Thread(() -> { try (out) { for (int i = 0; i < 300; i++) out.write(i); } catch (IOException e) { System.out.println(e); } });
        w.start();
        int sum = 0, c;
        while ((c = in.read()) >= 0) sum += c;
        w.join();
        System.out.println(sum + " " + t(() -> { out.write(1); return 0; }) + " " + t(() -> new PipedInputStream().read()) + " " + t(() -> { in.connect(out); return 0; }));
        Thread dead = new Thread(() -> { });
        PipedWriter pw = new PipedWriter();
        PipedReader pr = new PipedReader(pw);
        Thread one = new Thread(() -> { try { pw.write("ab"); } catch (IOException e) { } });
        one.start();
        one.join();
        System.out.println((char) pr.read() + "" + (char) pr.read() + " " + t(pr::read));
        System.out.println(new String(new SequenceInputStream(Collections.enumeration(List.of(new ByteArrayInputStream("a".getBytes()), new ByteArrayInputStream(new byte[0]), new ByteArrayInputStream("bc".getBytes())))).readAllBytes()));
        PushbackInputStream p = new PushbackInputStream(new ByteArrayInputStream("xyz".getBytes()), 2);
        p.unread(new byte[]{'1', '2'});
        System.out.println(t(() -> { p.unread(3); return 0; }) + " " + new String(p.readNBytes(4)) + " " + p.available());
        StreamTokenizer k = new StreamTokenizer(new StringReader("int x = 3.5e2; // c\n'str' \"q\\n\" /* m */ -7 a.b"));
        k.slashSlashComments(true);
        k.slashStarComments(true);
        StringBuilder b = new StringBuilder();
        while (k.nextToken() != StreamTokenizer.TT_EOF) b.append(k.ttype == StreamTokenizer.TT_NUMBER ? "n" + k.nval : k.ttype == StreamTokenizer.TT_WORD ? "w" + k.sval : k.ttype == '"' || k.ttype == '\'' ? "q" + k.sval.length() : "" + (char) k.ttype).append(' ');
        System.out.println(b + "" + k.lineno());
        LineNumberReader l = new LineNumberReader(new StringReader("a\r\nb\rc\nd"));
        l.mark(10);
        System.out.print(l.readLine() + l.getLineNumber() + l.readLine() + l.getLineNumber());
        l.reset();
        System.out.println(l.getLineNumber() + l.lines().reduce("", String::concat) + l.getLineNumber());
        ByteArrayOutputStream bo = new ByteArrayOutputStream();
        DataOutputStream d = new DataOutputStream(bo);
        d.writeUTF("\u0000\u00e9\u20ac\ud83d\ude00");
        d.writeChars("hi");
        d.writeBytes("\u0141x");
        d.writeDouble(-0.0);
        d.writeShort(70000);
        System.out.println(d.size() + " " + HexFormat.of().formatHex(bo.toByteArray()) + " " + t(() -> { d.writeUTF("x".repeat(65536)); return 0; }).substring(0, 24));
        DataInputStream di = new DataInputStream(new ByteArrayInputStream(bo.toByteArray()));
        System.out.println(di.readUTF().length() + " " + di.readChar() + di.readUnsignedShort() + " " + di.readUnsignedByte() + " " + di.skipBytes(100) + " " + t(di::readInt));
        System.out.println(t(() -> new DataInputStream(new ByteArrayInputStream(new byte[]{0, 2, (byte) 0xc3, 0x28})).readUTF()));
        try (RandomAccessFile f = new RandomAccessFile("r.bin", "rw")) {
            f.writeInt(0x01020304);
            f.seek(10);
            f.writeUTF("end");
            f.seek(2);
            System.out.println(f.readUnsignedShort() + " " + f.length() + " " + f.getFilePointer() + " " + f.skipBytes(100) + " " + t(f::readByte));
            f.setLength(6);
            System.out.println(f.length() + " " + f.getFilePointer() + " " + t(() -> { f.seek(-1); return 0; }) + " " + f.getChannel().position());
        }
        System.out.println(t(() -> new RandomAccessFile("absent", "r")) + " " + t(() -> new RandomAccessFile("x", "q")) + " " + t(() -> new FileInputStream(".")) + " " + t(() -> new FileOutputStream("no/dir/x")) + " " + t(() -> new FileReader("bad\u0000name")));
        BufferedReader br = new BufferedReader(new StringReader("abcdef"), 2);
        br.mark(2);
        br.read();
        br.reset();
        br.mark(1);
        br.skip(5);
        System.out.println(t(() -> { br.reset(); return 0; }) + " " + br.readLine() + " " + br.readLine() + " " + t(() -> { br.close(); return br.ready(); }));
        StringWriter sw = new StringWriter();
        PrintWriter pp = new PrintWriter(sw);
        pp.printf("%d", 5).append('c').append("xyz", 1, 2).println();
        System.out.println(sw.toString().trim() + " " + pp.checkError() + " " + new PrintStream(new OutputStream() { @Override public void write(int x) throws IOException { throw new IOException("full"); } }).append("x").checkError());
    }
}
