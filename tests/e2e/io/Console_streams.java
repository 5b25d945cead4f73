// System.out and System.err: interleaving, encodings, setErr, print of all types, FileDescriptor streams.
import java.io.*;

public class Console_streams {
    public static void main(String[] args) throws Exception {
        System.out.print(true); System.out.print('c'); System.out.print(1); System.out.print(2L); System.out.print(3f); System.out.print(4d); System.out.print(new char[]{'x', 'y'}); System.out.print("s"); System.out.print((Object) null); System.out.print((String) null);
        System.out.println();
        System.out.println(true); System.out.println('c'); System.out.println(1); System.out.println(2L); System.out.println(3f); System.out.println(4d); System.out.println(new char[]{'x', 'y'}); System.out.println((Object) "o");
        System.out.append("app").append('!').append("end\n", 0, 4).printf("%5.1f|%n", 2.25).write('\n');
        System.err.println("to stderr \u00e9");
        System.err.printf("%s %d%n", "err", 5);
        System.out.println("\u00e9\u4e2d\ud83d\ude00 " + System.lineSeparator().length() + " " + System.console());
        try (FileOutputStream f = new FileOutputStream(FileDescriptor.out)) { f.write("raw\n".getBytes()); }
        PrintStream old = System.err;
        ByteArrayOutputStream b = new ByteArrayOutputStream();
        System.setErr(new PrintStream(b));
        new Exception("caught").printStackTrace();
        System.setErr(old);
        System.err.println(b.toString().startsWith("java.lang.Exception: caught"));
        System.err.write("bytes\n".getBytes());
        System.err.flush();
    }
}
