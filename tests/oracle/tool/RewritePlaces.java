import java.io.*;
import java.nio.file.*;
import java.util.*;
import java.util.stream.*;
import org.objectweb.asm.*;

/**
 * Rewrites every class file of one directory into another so that it counts its field accesses, the edges of its
 * branches and its monitor entries with oracle.Places. Usage: RewritePlaces IN OUT.
 *
 * An access counts after it completes, so one that throws does not; the same holds for monitorenter. A synchronized
 * method counts at its entry. Each edge of a branch goes through a separate stub at the end of the method. The
 * stack maps are dropped: run the result without verification. OUT also gets the file oracle.places with one
 * counter per line, "field NAME get", "branch METHOD BCI EDGE" or "lock METHOD BCI" (-1: synchronized), as in
 * exported profiles.
 */
public final class RewritePlaces {
    private static final String PLACES = "oracle/Places";

    private final Map<String, ClassReader> classes = new TreeMap<>();
    private final Map<String, Set<String>> fields = new HashMap<>();  // name and descriptor, by class
    private final Map<String, Integer> counters = new LinkedHashMap<>();

    public static void main(String[] args) throws IOException {
        new RewritePlaces().run(Path.of(args[0]), Path.of(args[1]));
    }

    private void run(Path in, Path out) throws IOException {
        List<Path> files;
        try (Stream<Path> walk = Files.walk(in)) {
            files = walk.filter(f -> f.toString().endsWith(".class")).sorted().collect(Collectors.toList());
        }
        for (Path f : files) survey(new ClassReader(Files.readAllBytes(f)));
        for (ClassReader r : classes.values()) {
            Path to = out.resolve(r.getClassName() + ".class");
            Files.createDirectories(to.getParent());
            Files.write(to, rewrite(r));
        }
        Files.write(out.resolve("oracle.places"), counters.keySet());
    }

    private void survey(ClassReader r) {
        Set<String> own = new HashSet<>();
        r.accept(new ClassVisitor(Opcodes.ASM9) {
            @Override
            public FieldVisitor visitField(int access, String name, String desc, String sig, Object value) {
                own.add(name + ":" + desc);
                return null;
            }
        }, ClassReader.SKIP_CODE);
        classes.put(r.getClassName(), r);
        fields.put(r.getClassName(), own);
    }

    /** The class that declares a field (JVMS 5.4.3.2), or null if it is a library class. */
    private String declaring(String owner, String field) {
        ClassReader r = classes.get(owner);
        if (r == null) return null;
        if (fields.get(owner).contains(field)) return owner;
        for (String i : r.getInterfaces()) {
            String found = declaring(i, field);
            if (found != null) return found;
        }
        return r.getSuperName() == null ? null : declaring(r.getSuperName(), field);
    }

    private int counter(String place) { return counters.computeIfAbsent(place, p -> counters.size()); }

    private byte[] rewrite(ClassReader r) {
        Map<String, int[]> branches = Calls.offsets(r, at -> {
            int op = r.readByte(at) & 0xff;
            return op >= Opcodes.IFEQ && op <= Opcodes.IF_ACMPNE || op == Opcodes.TABLESWITCH
                || op == Opcodes.LOOKUPSWITCH || op == Opcodes.IFNULL || op == Opcodes.IFNONNULL;
        });
        Map<String, int[]> locks = Calls.offsets(r, at -> (r.readByte(at) & 0xff) == Opcodes.MONITORENTER);
        ClassWriter w = new ClassWriter(ClassWriter.COMPUTE_MAXS);
        r.accept(new ClassVisitor(Opcodes.ASM9, w) {
            @Override
            public MethodVisitor visitMethod(int access, String name, String desc, String sig, String[] ex) {
                MethodVisitor next = super.visitMethod(access, name, desc, sig, ex);
                boolean code = (access & (Opcodes.ACC_ABSTRACT | Opcodes.ACC_NATIVE)) == 0;
                boolean locked = (access & Opcodes.ACC_SYNCHRONIZED) != 0;
                String method = r.getClassName() + "." + name + desc;
                return code ? new Counting(next, method, branches.get(name + desc), locks.get(name + desc), locked) : next;
            }
        }, ClassReader.SKIP_FRAMES);
        return w.toByteArray();
    }

    private final class Counting extends MethodVisitor {
        private final String method;
        private final int[] bcis, monitors;
        private final boolean locked;
        private final List<Runnable> stubs = new ArrayList<>();
        private int branches, entered;

        Counting(MethodVisitor next, String method, int[] bcis, int[] monitors, boolean locked) {
            super(Opcodes.ASM9, next);
            this.method = method;
            this.bcis = bcis;
            this.monitors = monitors;
            this.locked = locked;
        }

        @Override
        public void visitCode() {
            super.visitCode();
            if (locked) count("lock " + method + " -1");
        }

        @Override
        public void visitInsn(int opcode) {
            super.visitInsn(opcode);
            if (opcode == Opcodes.MONITORENTER) count("lock " + method + " " + monitors[entered++]);
        }

        private void count(String place) {
            super.visitLdcInsn(counter(place));
            super.visitMethodInsn(Opcodes.INVOKESTATIC, PLACES, "count", "(I)V", false);
        }

        @Override
        public void visitFieldInsn(int opcode, String owner, String name, String desc) {
            super.visitFieldInsn(opcode, owner, name, desc);
            String declaring = declaring(owner, name + ":" + desc);
            if (declaring == null) return;
            boolean get = opcode == Opcodes.GETFIELD || opcode == Opcodes.GETSTATIC;
            count("field " + declaring.replace('/', '.') + "." + name + ":" + desc + (get ? " get" : " put"));
        }

        private String edge(int bci, int edge) { return "branch " + method + " " + bci + " " + edge; }

        /** A stub that counts an edge and jumps to its target. */
        private Label stub(int bci, int edge, Label target) {
            Label stub = new Label();
            stubs.add(() -> {
                super.visitLabel(stub);
                count(edge(bci, edge));
                super.visitJumpInsn(Opcodes.GOTO, target);
            });
            return stub;
        }

        @Override
        public void visitJumpInsn(int opcode, Label label) {
            if (opcode == Opcodes.GOTO || opcode == Opcodes.JSR) {
                super.visitJumpInsn(opcode, label);
                return;
            }
            int bci = bcis[branches++];
            super.visitJumpInsn(opcode, stub(bci, 1, label));
            count(edge(bci, 0));
        }

        private Label[] stubs(int bci, Label[] labels) {
            Label[] result = new Label[labels.length];
            for (int i = 0; i < labels.length; i++) result[i] = stub(bci, i, labels[i]);
            return result;
        }

        @Override
        public void visitTableSwitchInsn(int min, int max, Label otherwise, Label... labels) {
            int bci = bcis[branches++];
            super.visitTableSwitchInsn(min, max, stub(bci, labels.length, otherwise), stubs(bci, labels));
        }

        @Override
        public void visitLookupSwitchInsn(Label otherwise, int[] keys, Label[] labels) {
            int bci = bcis[branches++];
            super.visitLookupSwitchInsn(stub(bci, labels.length, otherwise), keys, stubs(bci, labels));
        }

        @Override
        public void visitMaxs(int maxStack, int maxLocals) {
            stubs.forEach(Runnable::run);
            super.visitMaxs(maxStack, maxLocals);
        }
    }
}
