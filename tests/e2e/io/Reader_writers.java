// Readers and writers: encodings, line reading, PrintWriter errors, piped streams, tokenizer, Scanner.
import java.io.*;
import java.nio.charset.StandardCharsets;
import java.util.*;
import java.util.stream.Collectors;

public class Reader_writers {
    public static void main(String[] args) throws Exception {
        try (Writer w = new OutputStreamWriter(new FileOutputStream("u8"), "UTF-8")) { w.write("l\u00efne one\r\nline \u4e2d two\n\nlast \ud83d\ude00"); }
        try (BufferedReader r = new BufferedReader(new InputStreamReader(new FileInputStream("u8"), StandardCharsets.UTF_8), 5)) {
            String line;
            while ((line = r.readLine()) != null) System.out.print("[" + line + "]");
            System.out.println(r.read());
        }
        System.out.println(new File("u8").length());
        try (Reader r = new InputStreamReader(new FileInputStream("u8"), "ISO-8859-1")) {
            int n = 0, sum = 0;
            for (int c; (c = r.read()) >= 0; n++) sum += c;
            System.out.println(n + " " + sum);
        }
        LineNumberReader ln = new LineNumberReader(new StringReader("a\nb\rc\r\nd"));
        System.out.println(ln.lines().collect(Collectors.joining("|")) + " " + ln.getLineNumber());
        StringWriter sw = new StringWriter();
        PrintWriter pw = new PrintWriter(sw, true);
        pw.printf("%d-%s", 5, "x").append('c').append("seq", 1, 2).println(2.5);
        pw.print(new char[]{'a', 'b'});
        pw.print((Object) null);
        pw.flush();
        System.out.println(sw.toString().replace("\n", "|") + " " + pw.checkError() + " " + sw.getBuffer().length());
        PrintStream ps = new PrintStream(new OutputStream() { @Override public void write(int b) throws IOException { throw new IOException("full"); } });
        ps.print("x");
        System.out.println(ps.checkError());
        PipedInputStream pi = new PipedInputStream(64);
        PipedOutputStream po = new PipedOutputStream(pi);
        Thread t = new Thread(() -> { try (po) { for (int i = 0; i < 300; i++) po.write(i); } catch (IOException e) { e.printStackTrace(); } });
        t.start();
        int sum = 0;
        for (int b; (b = pi.read()) >= 0; ) sum += b;
        t.join();
        System.out.println(sum);
        CharArrayWriter cw = new CharArrayWriter();
        cw.write("char array", 5, 5);
        System.out.println(cw + " " + cw.size() + " " + new CharArrayReader(cw.toCharArray(), 1, 2).read());
        StreamTokenizer st = new StreamTokenizer(new StringReader("x = 3.5 + 'q' // comment\n\"str\" y1"));
        st.slashSlashComments(true);
        StringBuilder sb = new StringBuilder();
        while (st.nextToken() != StreamTokenizer.TT_EOF) sb.append(st.ttype == StreamTokenizer.TT_WORD ? "W" + st.sval : st.ttype == StreamTokenizer.TT_NUMBER ? "N" + st.nval : st.sval != null ? "S" + st.sval : "C" + (char) st.ttype).append(' ');
        System.out.println(sb);
        Scanner sc = new Scanner("12 3.5 word true 0x1F\nsecond line\n99,100;101").useLocale(Locale.US);
        System.out.println(sc.nextInt() + " " + sc.nextDouble() + " " + sc.next() + " " + sc.nextBoolean() + " " + sc.hasNextInt() + " " + sc.next() + sc.nextLine() + "|" + sc.nextLine() + " " + sc.useDelimiter("[,;]").nextInt() + sc.nextInt() + sc.nextInt() + sc.hasNext());
        try {
            new Scanner("abc").nextInt();
        } catch (InputMismatchException e) {
            System.out.println(e.getMessage());
        }
        System.out.println(new Scanner("a1b22c").findInLine("(\\d+)") + " " + new Scanner("k=v").findWithinHorizon("=", 0) + " " + new Scanner("1 2 3").tokens().count());
        Properties p = new Properties();
        p.load(new StringReader("# c\nkey = value\\\n   continued\nuni=\\u4e2d\n!x\nempty\ncolon:v\nsp\\ ace=1"));
        System.out.println(new TreeMap<>(p));
        ByteArrayOutputStream bo = new ByteArrayOutputStream();
        p.store(bo, "note");
        System.out.println(bo.toString().lines().filter(l -> !l.startsWith("#")).sorted().collect(Collectors.toList()));
        bo.reset();
        p.storeToXML(bo, null);
        Properties q = new Properties();
        q.loadFromXML(new ByteArrayInputStream(bo.toByteArray()));
        System.out.println(q.equals(p));
        PushbackReader pr = new PushbackReader(new StringReader("ab"));
        int c = pr.read();
        pr.unread(c);
        System.out.println((char) pr.read() + " " + Reader.nullReader().read() + " " + new StringReader("transfer").transferTo(new StringWriter()));
        PrintStream old = System.out;
        ByteArrayOutputStream cap = new ByteArrayOutputStream();
        System.setOut(new PrintStream(cap, true, "UTF-16BE"));
        System.out.print("\u00e9");
        System.setOut(old);
        System.out.println(Arrays.toString(cap.toByteArray()));
    }
}
