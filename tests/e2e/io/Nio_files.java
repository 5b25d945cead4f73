// java.nio.file: paths, attributes, walking, copying, links, temporary files, lines, errors.
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.*;
import java.nio.file.attribute.*;
import java.util.*;
import java.util.stream.*;

public class Nio_files {
    public static void main(String[] args) throws Exception {
        Path p = Paths.get("a/b/../c/./file.txt");
        System.out.println(p.normalize() + " " + p.getNameCount() + " " + p.getName(1) + " " + p.subpath(1, 3) + " " + p.getParent() + " " + p.getFileName() + " " + p.startsWith("a") + " " + p.endsWith("file.txt") + " " + Path.of("/x/y").relativize(Path.of("/x/z/w")) + " " + Path.of("/x").resolve("y").resolveSibling("z") + " " + Path.of("/r").getRoot() + " " + p.isAbsolute());
        Files.createDirectories(Path.of("t/u/v"));
        Path f = Path.of("t/f.txt");
        Files.writeString(f, "one\ntw\u00f6\nthree\n");
        System.out.println(Files.readAllLines(f) + " " + Files.size(f) + " " + Files.exists(f) + " " + Files.isDirectory(f) + " " + Files.isRegularFile(f) + " " + Files.readString(f).length() + " " + Files.probeContentType(f));
        Files.write(f, List.of("appended", "x"), StandardOpenOption.APPEND);
        try (Stream<String> s = Files.lines(f)) { System.out.println(s.filter(x -> x.length() > 3).collect(Collectors.toList())); }
        Files.copy(f, Path.of("t/u/copy.txt"));
        try {
            Files.copy(f, Path.of("t/u/copy.txt"));
        } catch (FileAlreadyExistsException e) {
            System.out.println("exists " + e.getMessage());
        }
        Files.copy(f, Path.of("t/u/copy.txt"), StandardCopyOption.REPLACE_EXISTING);
        Files.move(Path.of("t/u/copy.txt"), Path.of("t/u/v/moved.txt"));
        Files.createSymbolicLink(Path.of("t/link"), Path.of("f.txt"));
        Files.createLink(Path.of("t/hard"), f);
        System.out.println(Files.isSymbolicLink(Path.of("t/link")) + " " + Files.readSymbolicLink(Path.of("t/link")) + " " + Files.isSameFile(f, Path.of("t/hard")) + " " + Files.mismatch(f, Path.of("t/hard")));
        try (Stream<Path> w = Files.walk(Path.of("t"))) { System.out.println(w.map(Path::toString).sorted().collect(Collectors.toList())); }
        try (DirectoryStream<Path> ds = Files.newDirectoryStream(Path.of("t"), "*.txt")) { for (Path x : ds) System.out.println(x); }
        Files.setPosixFilePermissions(f, PosixFilePermissions.fromString("rw-r-----"));
        Files.setLastModifiedTime(f, FileTime.fromMillis(1_500_000_000_000L));
        BasicFileAttributes at = Files.readAttributes(f, BasicFileAttributes.class);
        System.out.println(PosixFilePermissions.toString(Files.getPosixFilePermissions(f)) + " " + at.lastModifiedTime() + " " + at.isRegularFile() + " " + at.size() + " " + Files.getAttribute(f, "unix:nlink") + " " + Files.isExecutable(f));
        List<String> seen = new ArrayList<>();
        Files.walkFileTree(Path.of("t"), new SimpleFileVisitor<>() {
            @Override public FileVisitResult visitFile(Path x, BasicFileAttributes a) throws IOException { seen.add("-" + x.getFileName()); Files.delete(x); return FileVisitResult.CONTINUE; }
            @Override public FileVisitResult postVisitDirectory(Path x, IOException e) throws IOException { seen.add("/" + x.getFileName()); Files.delete(x); return FileVisitResult.CONTINUE; }
        });
        Collections.sort(seen);
        System.out.println(seen + " " + Files.exists(Path.of("t")));
        for (String bad : new String[]{"read", "list", "delete", "dir"}) {
            try {
                Path none = Path.of("none/x");
                switch (bad) {
                    case "read": Files.readString(none); break;
                    case "list": Files.list(none); break;
                    case "delete": Files.delete(none); break;
                    default: Files.createDirectory(none);
                }
            } catch (NoSuchFileException e) {
                System.out.println(bad + " " + e);
            }
        }
        Files.createDirectory(Path.of("full"));
        Files.createFile(Path.of("full/x"));
        try {
            Files.delete(Path.of("full"));
        } catch (DirectoryNotEmptyException e) {
            System.out.println(e);
        }
        try {
            Path.of("nul\0char");
        } catch (InvalidPathException e) {
            System.out.println(e.getReason());
        }
        Path tmp = Files.createTempFile(Path.of("."), "p", "s");
        System.out.println(Files.deleteIfExists(tmp) + " " + Files.deleteIfExists(tmp) + " " + FileSystems.getDefault().getPathMatcher("glob:**/*.{java,class}").matches(Path.of("a/b.class")) + " " + FileSystems.getDefault().getSeparator());
        try (var bw = Files.newBufferedWriter(Path.of("enc"), StandardCharsets.UTF_16LE)) { bw.write("\u00e9x"); }
        System.out.println(Arrays.toString(Files.readAllBytes(Path.of("enc"))));
        try {
            Files.readString(Path.of("enc"), StandardCharsets.US_ASCII);
        } catch (java.nio.charset.MalformedInputException e) {
            System.out.println(e.getMessage());
        }
    }
}
