// Files: walks, attributes, permissions, links, moves, copies, globs, temporary names, directory streams, exceptions.
import java.io.*;
import java.nio.file.*;
import java.nio.file.attribute.*;
import java.util.*;
import java.util.stream.*;

public class Nio_trees {
    interface Op { Object run() throws Exception; }
    static void t(String what, Op o) { try { System.out.println(what + ": " + o.run()); } catch (Exception e) { System.out.println(what + ": " + e.getClass().getSimpleName() + " " + e.getMessage()); } }

    public static void main(String[] args) throws Exception {
        Path r = Path.of("root");
        Files.createDirectories(r.resolve("a/b/c"));
        for (String n : new String[]{"a/1.txt", "a/b/2.java", "a/b/c/3.txt", "z.txt"}) Files.writeString(r.resolve(n), n);
        Files.createSymbolicLink(r.resolve("link"), Path.of("a"));
        Files.createSymbolicLink(r.resolve("loop"), Path.of("."));
        Files.createSymbolicLink(r.resolve("broken"), Path.of("nowhere"));
        Files.createLink(r.resolve("hard"), r.resolve("z.txt"));
        try (Stream<Path> s = Files.walk(r)) { System.out.println(s.map(Path::toString).sorted().collect(Collectors.toList())); }
        t("follow", () -> { try (Stream<Path> s = Files.walk(r, FileVisitOption.FOLLOW_LINKS)) { return s.count(); } catch (UncheckedIOException e) { return e.getCause().getClass().getSimpleName(); } });
        try (Stream<Path> s = Files.find(r, 2, (p, a) -> a.isRegularFile())) { System.out.println(s.map(p -> r.relativize(p).toString()).sorted().collect(Collectors.toList())); }
        for (String g : new String[]{"*.txt", "**.txt", "{a,z}*", "[!a-l]*", "?ink"}) { PathMatcher m = FileSystems.getDefault().getPathMatcher("glob:" + g); try (Stream<Path> s = Files.walk(r)) { System.out.print(g + " " + s.map(r::relativize).filter(m::matches).map(Path::toString).sorted().collect(Collectors.toList()) + "; "); } }
        System.out.println();
        try (DirectoryStream<Path> d = Files.newDirectoryStream(r, "{link,z*}")) { Set<String> n = new TreeSet<>(); for (Path p : d) n.add(p.getFileName().toString()); System.out.println(n); }
        StringBuilder b = new StringBuilder();
        Files.walkFileTree(r.resolve("a"), new SimpleFileVisitor<>() {
            @Override public FileVisitResult preVisitDirectory(Path p, BasicFileAttributes a) { b.append('<').append(p.getFileName()); return p.endsWith("c") ? FileVisitResult.SKIP_SUBTREE : FileVisitResult.CONTINUE; }
            @Override public FileVisitResult postVisitDirectory(Path p, IOException e) { b.append('>'); return FileVisitResult.CONTINUE; }
        });
        System.out.println(b);
        Path z = r.resolve("z.txt");
        Files.setPosixFilePermissions(z, PosixFilePermissions.fromString("rw-r-----"));
        Files.setLastModifiedTime(z, FileTime.fromMillis(1_000_000_000_000L));
        System.out.println(PosixFilePermissions.toString(Files.getPosixFilePermissions(z)) + " " + Files.getLastModifiedTime(z) + " " + Files.size(z) + " " + Files.isSameFile(z, r.resolve("hard")) + " " + Files.getAttribute(z, "unix:nlink") + " " + Files.isSymbolicLink(r.resolve("link")) + " " + Files.readSymbolicLink(r.resolve("link")) + " " + Files.exists(r.resolve("broken")) + Files.exists(r.resolve("broken"), LinkOption.NOFOLLOW_LINKS) + " " + Files.isHidden(Path.of(".x")) + " " + Files.isExecutable(z));
        System.out.println(new TreeMap<>(Files.readAttributes(z, "size,isDirectory,isRegularFile")) + " " + Files.mismatch(z, r.resolve("a/1.txt")) + " " + Files.mismatch(z, z));
        t("delete full", () -> { Files.delete(r.resolve("a")); return 0; });
        t("delete none", () -> { Files.delete(r.resolve("none")); return 0; });
        t("deleteIfExists", () -> Files.deleteIfExists(r.resolve("none")));
        t("create again", () -> Files.createDirectory(r.resolve("a")));
        t("copy over", () -> Files.copy(z, r.resolve("a/1.txt")));
        t("copy replacing", () -> Files.copy(z, r.resolve("a/1.txt"), StandardCopyOption.REPLACE_EXISTING, StandardCopyOption.COPY_ATTRIBUTES) + " " + Files.getLastModifiedTime(r.resolve("a/1.txt")));
        t("move", () -> Files.move(r.resolve("a/b"), r.resolve("moved")) + " " + Files.exists(r.resolve("moved/c/3.txt")));
        t("read dir", () -> Files.readString(r));
        t("write new", () -> Files.writeString(z, "x", StandardOpenOption.CREATE_NEW));
        t("append", () -> Files.readString(Files.writeString(z, "+", StandardOpenOption.APPEND)));
        t("lines", () -> { Files.write(r.resolve("l"), List.of("a", "", "b")); try (Stream<String> s = Files.lines(r.resolve("l"))) { return s.collect(Collectors.toList()); } });
        t("malformed", () -> { Files.write(r.resolve("m"), new byte[]{(byte) 0xff}); return Files.readString(r.resolve("m")); });
        t("not a dir", () -> Files.list(z));
        t("bad path", () -> Path.of("a\u0000b"));
        t("paths", () -> Path.of("/a/b/../c/./d").normalize() + " " + Path.of("/a/b").relativize(Path.of("/a/c/d")) + " " + Path.of("a").resolve("/x") + " " + Path.of("a/b").resolveSibling("c") + " " + Path.of("/a/b/c").subpath(1, 3) + " " + Path.of("a//b/").getNameCount() + " " + Path.of("").toString().isEmpty() + " " + Path.of("/").getFileName() + " " + Path.of("a/b").startsWith("a") + " " + Path.of("a/bc").endsWith("c"));
        t("relativize", () -> Path.of("/a").relativize(Path.of("b")));
        t("temp", () -> { Path p = Files.createTempFile(r, "pre", ".suf"); return p.getFileName().toString().matches("pre\\d+\\.suf") + " " + PosixFilePermissions.toString(Files.getPosixFilePermissions(p)); });
        File f = new File("root/../root/a");
        System.out.println(f.isDirectory() + " " + f.getCanonicalFile().getName() + " " + Arrays.toString(Optional.ofNullable(new File("none").list()).orElse(null)) + " " + new File("root/a").mkdir() + " " + f.renameTo(new File("root/a2")) + " " + new File("root").delete() + " " + new File("a", "b").getPath() + " " + new File("/x/./y").getAbsolutePath());
    }
}
