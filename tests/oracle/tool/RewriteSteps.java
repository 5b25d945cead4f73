import java.io.*;
import java.nio.file.*;
import java.util.*;
import java.util.stream.*;
import org.objectweb.asm.*;

/**
 * Rewrites every class file of one directory into another so that it reports its execution to oracle.Steps: methods
 * entered, left and unwound, branch edges, backward branches, and exceptions with the block that raised them. Usage:
 * RewriteSteps IN OUT.
 *
 * Instructions are numbered in ASM's visiting order, which is the order of their bytecode indexes. A block begins at a
 * label and after a branch. The stack maps are dropped: run the result without verification.
 */
public final class RewriteSteps {
    private static final String STEPS = "oracle/Steps";

    public static void main(String[] args) throws IOException {
        Path in = Path.of(args[0]), out = Path.of(args[1]);
        List<Path> files;
        try (Stream<Path> walk = Files.walk(in)) {
            files = walk.filter(f -> f.toString().endsWith(".class")).sorted().collect(Collectors.toList());
        }
        for (Path f : files) {
            Path to = out.resolve(in.relativize(f));
            Files.createDirectories(to.getParent());
            Files.write(to, rewrite(new ClassReader(Files.readAllBytes(f))));
        }
    }

    private static byte[] rewrite(ClassReader r) {
        Map<String, int[]> indexes = Calls.offsets(r, at -> true);
        ClassWriter w = new ClassWriter(ClassWriter.COMPUTE_MAXS);
        r.accept(new ClassVisitor(Opcodes.ASM9, w) {
            @Override
            public MethodVisitor visitMethod(int access, String name, String desc, String sig, String[] ex) {
                MethodVisitor next = super.visitMethod(access, name, desc, sig, ex);
                boolean code = (access & (Opcodes.ACC_ABSTRACT | Opcodes.ACC_NATIVE)) == 0;
                String method = r.getClassName().replace('/', '.') + "." + name + desc;
                return code ? new Telling(next, method, indexes.get(name + desc)) : next;
            }
        }, ClassReader.SKIP_FRAMES | ClassReader.SKIP_DEBUG);
        return w.toByteArray();
    }

    private static final class Telling extends MethodVisitor {
        private final String method;
        private final int[] bcis;
        private final Set<Label> seen = new HashSet<>(), handlers = new HashSet<>();
        private final List<Runnable> stubs = new ArrayList<>();
        private final Label first = new Label(), last = new Label();
        private int instructions;
        private boolean leader = true, handler;

        Telling(MethodVisitor next, String method, int[] bcis) {
            super(Opcodes.ASM9, next);
            this.method = method;
            this.bcis = bcis;
        }

        private void tell(String what, int... numbers) {
            for (int n : numbers) super.visitLdcInsn(n);
            super.visitMethodInsn(Opcodes.INVOKESTATIC, STEPS, what, "(" + "I".repeat(numbers.length) + ")V", false);
        }

        private void at(int bci, String owner, String called) {
            super.visitLdcInsn(bci);
            super.visitLdcInsn(owner);
            super.visitLdcInsn(called);
            super.visitMethodInsn(Opcodes.INVOKESTATIC, STEPS, "at", "(ILjava/lang/String;Ljava/lang/String;)V", false);
        }

        /** Called before each instruction; returns its bytecode index. */
        private int next() {
            int bci = bcis[instructions++];
            if (handler) tell("thrown");
            if (leader) tell("block", bci);
            leader = handler = false;
            return bci;
        }

        @Override
        public void visitCode() {
            super.visitCode();
            super.visitLabel(first);
            super.visitLdcInsn(method);
            super.visitMethodInsn(Opcodes.INVOKESTATIC, STEPS, "enter", "(Ljava/lang/String;)V", false);
        }

        @Override
        public void visitTryCatchBlock(Label start, Label end, Label to, String type) {
            super.visitTryCatchBlock(start, end, to, type);
            handlers.add(to);
        }

        @Override
        public void visitLabel(Label label) {
            super.visitLabel(label);
            seen.add(label);
            leader = true;
            handler |= handlers.contains(label);
        }

        @Override
        public void visitInsn(int opcode) {
            next();
            if (opcode >= Opcodes.IRETURN && opcode <= Opcodes.RETURN) tell("leave");
            super.visitInsn(opcode);
            if (opcode >= Opcodes.IRETURN && opcode <= Opcodes.RETURN || opcode == Opcodes.ATHROW) leader = true;
        }

        @Override
        public void visitIntInsn(int opcode, int operand) {
            next();
            super.visitIntInsn(opcode, operand);
        }

        @Override
        public void visitVarInsn(int opcode, int var) {
            next();
            super.visitVarInsn(opcode, var);
        }

        @Override
        public void visitTypeInsn(int opcode, String type) {
            next();
            super.visitTypeInsn(opcode, type);
        }

        @Override
        public void visitFieldInsn(int opcode, String owner, String name, String desc) {
            next();
            super.visitFieldInsn(opcode, owner, name, desc);
        }

        @Override
        public void visitMethodInsn(int opcode, String owner, String name, String desc, boolean is) {
            at(next(), owner, name + desc);
            super.visitMethodInsn(opcode, owner, name, desc, is);
        }

        @Override
        public void visitInvokeDynamicInsn(String name, String desc, Handle bootstrap, Object... arguments) {
            at(next(), "java/", "");
            super.visitInvokeDynamicInsn(name, desc, bootstrap, arguments);
        }

        @Override
        public void visitLdcInsn(Object value) {
            next();
            super.visitLdcInsn(value);
        }

        @Override
        public void visitIincInsn(int var, int by) {
            next();
            super.visitIincInsn(var, by);
        }

        @Override
        public void visitMultiANewArrayInsn(String desc, int dimensions) {
            next();
            super.visitMultiANewArrayInsn(desc, dimensions);
        }

        /** A stub that reports an edge and jumps to its target. */
        private Label stub(int bci, int edge, Label target) {
            Label stub = new Label();
            boolean back = seen.contains(target);
            stubs.add(() -> {
                super.visitLabel(stub);
                tell("branch", bci, edge);
                if (back) tell("back", bci);
                super.visitJumpInsn(Opcodes.GOTO, target);
            });
            return stub;
        }

        @Override
        public void visitJumpInsn(int opcode, Label label) {
            int bci = next();
            if (opcode == Opcodes.GOTO) {
                if (seen.contains(label)) tell("back", bci);
                super.visitJumpInsn(opcode, label);
            } else {
                super.visitJumpInsn(opcode, stub(bci, 1, label));
                tell("branch", bci, 0);
            }
            leader = true;
        }

        private Label[] stubs(int bci, Label[] labels) {
            Label[] result = new Label[labels.length];
            for (int i = 0; i < labels.length; i++) result[i] = stub(bci, i, labels[i]);
            return result;
        }

        @Override
        public void visitTableSwitchInsn(int min, int max, Label otherwise, Label... labels) {
            int bci = next();
            super.visitTableSwitchInsn(min, max, stub(bci, labels.length, otherwise), stubs(bci, labels));
            leader = true;
        }

        @Override
        public void visitLookupSwitchInsn(Label otherwise, int[] keys, Label[] labels) {
            int bci = next();
            super.visitLookupSwitchInsn(stub(bci, labels.length, otherwise), keys, stubs(bci, labels));
            leader = true;
        }

        /** The last row of the exception table catches exceptions that no handler takes, and rethrows. */
        @Override
        public void visitMaxs(int maxStack, int maxLocals) {
            super.visitLabel(last);
            tell("thrown");
            tell("unwind");
            super.visitInsn(Opcodes.ATHROW);
            super.visitTryCatchBlock(first, last, last, null);
            stubs.forEach(Runnable::run);
            super.visitMaxs(maxStack, maxLocals);
        }
    }
}
