import java.io.*;
import java.lang.reflect.Modifier;
import java.nio.file.*;
import java.util.*;
import java.util.stream.*;
import org.objectweb.asm.*;

/**
 * Rewrites every class file of one directory into another so that it counts its method entries and call edges with
 * oracle.Count. Usage: Rewrite IN OUT.
 *
 * Each method gets a call at its entry and one before each invoke instruction. No other instruction changes, so frames
 * stay valid. OUT also gets the file oracle.table, with lines "M method selector" and "S caller originalBci
 * rewrittenBci target selector", numbered by position.
 */
public final class Rewrite {
    private static final String COUNT = "oracle/Count";
    // Our locals start beyond those of any test program: ASM visits the real maximum only at a method's end.
    private static final int FIRST_LOCAL = 400;

    private static final class Kind {
        String name, superName;
        String[] interfaces;
        boolean isInterface;
        final Map<String, Integer> methods = new HashMap<>();  // selector to number, if it has code
        byte[] bytes;
    }

    private static final class Site {
        String caller, selector;
        int bci, rewrittenBci, target;
    }

    private final Map<String, Kind> kinds = new TreeMap<>();
    private final List<String> methods = new ArrayList<>(), selectors = new ArrayList<>();
    private final List<Site> sites = new ArrayList<>();

    public static void main(String[] args) throws IOException {
        new Rewrite().run(Path.of(args[0]), Path.of(args[1]));
    }

    private void run(Path in, Path out) throws IOException {
        List<Path> files;
        try (Stream<Path> walk = Files.walk(in)) {
            files = walk.filter(f -> f.toString().endsWith(".class")).sorted().collect(Collectors.toList());
        }
        for (Path f : files) survey(Files.readAllBytes(f));
        for (Path f : files) {
            Path to = out.resolve(in.relativize(f));
            Files.createDirectories(to.getParent());
            String name = in.relativize(f).toString().replace(".class", "");
            Files.write(to, rewrite(kinds.get(name)));
        }
        try (PrintWriter w = new PrintWriter(out.resolve("oracle.table").toFile(), "UTF-8")) {
            for (int m = 0; m < methods.size(); m++) w.print("M " + methods.get(m) + " " + selectors.get(m) + "\n");
            for (Site s : sites) {
                w.print("S " + s.caller + " " + s.bci + " " + s.rewrittenBci + " " + s.target + " " + s.selector + "\n");
            }
        }
    }

    private void survey(byte[] bytes) {
        ClassReader r = new ClassReader(bytes);
        Kind k = new Kind();
        k.name = r.getClassName();
        k.superName = r.getSuperName();
        k.interfaces = r.getInterfaces();
        k.isInterface = (r.getAccess() & Opcodes.ACC_INTERFACE) != 0;
        k.bytes = bytes;
        r.accept(new ClassVisitor(Opcodes.ASM9) {
            @Override
            public MethodVisitor visitMethod(int access, String name, String desc, String sig, String[] ex) {
                if ((access & (Opcodes.ACC_ABSTRACT | Opcodes.ACC_NATIVE)) == 0) {
                    k.methods.put(name + desc, methods.size());
                    methods.add(k.name + "." + name + desc);
                    selectors.add(name + desc);
                }
                return null;
            }
        }, ClassReader.SKIP_CODE);
        kinds.put(k.name, k);
    }

    /** The number of the application's method that a non-virtual call enters, or -1 if it is the library's. */
    private int resolve(String owner, String selector) {
        for (String c = owner; c != null && kinds.containsKey(c); c = kinds.get(c).superName) {
            Integer m = kinds.get(c).methods.get(selector);
            if (m != null) return m;
            if (kinds.get(c).isInterface) break;
        }
        return inInterfaces(owner, selector);
    }

    private int inInterfaces(String owner, String selector) {
        Kind k = kinds.get(owner);
        if (k == null) return -1;
        for (String i : k.interfaces) {
            Kind ik = kinds.get(i);
            Integer m = ik == null ? null : ik.methods.get(selector);
            if (m != null) return m;
            int up = inInterfaces(i, selector);
            if (up >= 0) return up;
        }
        return k.isInterface || k.superName == null ? -1 : inInterfaces(k.superName, selector);
    }

    private byte[] rewrite(Kind k) {
        ClassReader r = new ClassReader(k.bytes);
        Map<String, int[]> offsets = Calls.offsets(r, "");
        int first = sites.size();
        ClassWriter w = new ClassWriter(ClassWriter.COMPUTE_MAXS);
        r.accept(new ClassVisitor(Opcodes.ASM9, w) {
            @Override
            public MethodVisitor visitMethod(int access, String name, String desc, String sig, String[] ex) {
                MethodVisitor next = super.visitMethod(access, name, desc, sig, ex);
                if ((access & (Opcodes.ACC_ABSTRACT | Opcodes.ACC_NATIVE)) != 0) return next;
                return new Counting(next, k, access, name, desc, offsets.get(name + desc));
            }
        }, ClassReader.EXPAND_FRAMES);
        byte[] result = w.toByteArray();
        Map<String, int[]> moved = Calls.offsets(new ClassReader(result), COUNT);
        Map<String, Integer> next = new HashMap<>();
        for (Site s : sites.subList(first, sites.size())) {
            int n = next.merge(s.caller, 1, Integer::sum) - 1;
            s.rewrittenBci = moved.get(s.caller.substring(k.name.length() + 1))[n];
        }
        return result;
    }

    private final class Counting extends MethodVisitor {
        private final Kind kind;
        private final int access, number;
        private final String name, self;
        private final int[] bcis;
        private int calls, freeLocal;

        Counting(MethodVisitor next, Kind kind, int access, String name, String desc, int[] bcis) {
            super(Opcodes.ASM9, next);
            this.kind = kind;
            this.access = access;
            this.name = name;
            this.self = kind.name + "." + name + desc;
            this.number = kind.methods.get(name + desc);
            this.bcis = bcis;
            this.freeLocal = FIRST_LOCAL;
        }

        @Override
        public void visitMaxs(int maxStack, int maxLocals) {
            if (maxLocals > FIRST_LOCAL) throw new IllegalStateException(self + " has " + maxLocals + " locals");
            super.visitMaxs(maxStack, maxLocals);
        }

        private void count(String method, String desc) {
            super.visitMethodInsn(Opcodes.INVOKESTATIC, COUNT, method, desc, false);
        }

        private boolean isInitializer() { return name.equals("<clinit>"); }

        @Override
        public void visitCode() {
            super.visitCode();
            if (isInitializer()) {
                super.visitLdcInsn(number);
                count("enterInitializer", "(I)Ljava/lang/Object;");
                super.visitVarInsn(Opcodes.ASTORE, freeLocal++);
            } else if ((access & Opcodes.ACC_STATIC) != 0 || name.equals("<init>")) {
                super.visitLdcInsn(number);
                count("enter", "(I)V");
            } else {
                super.visitVarInsn(Opcodes.ALOAD, 0);
                super.visitLdcInsn(number);
                count("enter", "(Ljava/lang/Object;I)V");
            }
        }

        @Override
        public void visitInsn(int opcode) {
            if (opcode == Opcodes.RETURN && isInitializer()) {
                super.visitVarInsn(Opcodes.ALOAD, FIRST_LOCAL);
                count("leaveInitializer", "(Ljava/lang/Object;)V");
            }
            super.visitInsn(opcode);
        }

        /** In an initialiser, the saved slot would be outside the frames' locals after a branch. */
        @Override
        public void visitFrame(int type, int nLocal, Object[] local, int nStack, Object[] stack) {
            if (!isInitializer()) {
                super.visitFrame(type, nLocal, local, nStack, stack);
                return;
            }
            int words = 0;
            List<Object> all = new ArrayList<>();
            for (int i = 0; i < nLocal; i++) {
                all.add(local[i]);
                words += local[i] == Opcodes.LONG || local[i] == Opcodes.DOUBLE ? 2 : 1;
            }
            for (; words < FIRST_LOCAL; words++) all.add(Opcodes.TOP);
            all.add("java/lang/Object");
            super.visitFrame(type, all.size(), all.toArray(), nStack, stack);
        }

        private int newSite(String selector, int target) {
            Site s = new Site();
            s.caller = self;
            s.selector = selector;
            s.bci = bcis[calls++];
            s.target = target;
            sites.add(s);
            return sites.size() - 1;
        }

        @Override
        public void visitMethodInsn(int opcode, String owner, String callee, String desc, boolean itf) {
            String selector = callee + desc;
            boolean fixed = opcode == Opcodes.INVOKESTATIC || opcode == Opcodes.INVOKESPECIAL;
            int target = fixed ? resolve(owner, selector) : -1;
            int s = newSite(selector, target);
            if (fixed ? target < 0 : onlyLibrary(owner)) {
                count("library", "()V");
            } else if (fixed) {
                super.visitLdcInsn(s);
                count("site", "(I)V");
            } else {
                withReceiver(desc, s);
            }
            super.visitMethodInsn(opcode, owner, callee, desc, itf);
        }

        /** Moves the arguments to fresh locals to reach the receiver, and back. */
        private void withReceiver(String desc, int s) {
            Type[] types = Type.getArgumentTypes(desc);
            int[] at = new int[types.length];
            int local = freeLocal;
            for (int i = types.length - 1; i >= 0; i--) {
                at[i] = local;
                super.visitVarInsn(types[i].getOpcode(Opcodes.ISTORE), local);
                local += types[i].getSize();
            }
            super.visitInsn(Opcodes.DUP);
            super.visitLdcInsn(s);
            count("site", "(Ljava/lang/Object;I)V");
            for (int i = 0; i < types.length; i++) super.visitVarInsn(types[i].getOpcode(Opcodes.ILOAD), at[i]);
        }

        @Override
        public void visitInvokeDynamicInsn(String callee, String desc, Handle bsm, Object... args) {
            newSite(callee + desc, -1);
            count("library", "()V");
            super.visitInvokeDynamicInsn(callee, desc, bsm, args);
        }
    }

    /** Whether a virtual call through this class can select only library methods. */
    private boolean onlyLibrary(String owner) {
        if (kinds.containsKey(owner)) return false;
        if (owner.startsWith("[")) return true;
        try {
            return Modifier.isFinal(Class.forName(owner.replace('/', '.'), false, null).getModifiers())
                || owner.equals("java/lang/invoke/MethodHandle") || owner.equals("java/lang/invoke/VarHandle");
        } catch (ClassNotFoundException e) {
            return false;
        }
    }
}
