// Writes classes of random instruction sequences: Generate DIRECTORY FIRST COUNT. S<n> depends only on n and implements
// Sequence; S0 is a case that random ones do not reach (uncalled). Includes code that javac never emits: operands left
// on the stack across branches, calls and loops, all forms of dup and swap, comparisons without a branch, wide locals.
//
// The generator tracks operand types: a letter I J F D A per slot, lower case for the second slot of a long or double.
// A block must not pop below the stack height `floor`.
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Random;
import org.objectweb.asm.ClassWriter;
import org.objectweb.asm.Label;
import org.objectweb.asm.MethodVisitor;
import static org.objectweb.asm.Opcodes.*;

public final class Generate {
    private static final int INTS = 12, LONGS = 4, FLOATS = 3, DOUBLES = 4, OBJECTS = 4, COUNTERS = 4, HIGH = 11;
    private static final int[] EDGE_INTS = {0, 1, -1, 2, 7, 31, 32, 33, 63, 64, 127, 128, -128, 255, 32767, 32768, 65535, 65536, -32769, 0x7fffffff, 0x80000000};
    private static final long[] EDGE_LONGS = {0, 1, -1, 2, 31, 63, 64, 0x7fffffffL, 0x80000000L, -0x80000000L, 0xffffffffL, 0x123456789abcdefL,
                                              Long.MAX_VALUE, Long.MIN_VALUE};
    private static final double[] EDGE_DOUBLES = {0.0, -0.0, 1, -1, 0.5, 2147483647.0, -2147483648.0, -2147483649.0, 9.3e18, -9.3e18, 1e300, 4.9e-324,
                                                  Double.NaN, Double.POSITIVE_INFINITY, Double.NEGATIVE_INFINITY};
    private static final String V = "Values", RUN = "Run";
    private final Random random;
    private final StringBuilder stack = new StringBuilder();
    private MethodVisitor m;
    private int base, floor, budget, loops;

    private Generate(long seed) { random = new Random(seed * 0x9E3779B97F4A7C15L + 1); }

    public static void main(String[] args) throws IOException {
        int first = Integer.parseInt(args[1]), count = Integer.parseInt(args[2]);
        for (int n = first; n < first + count; n++) Files.write(Path.of(args[0], "S" + n + ".class"), n == 0 ? uncalled() : new Generate(n).make("S" + n));
    }

    // The code is made before the invocation of Object.<init> after a branch is resolved, so it exits for an invocation
    // that calls nothing. The next call happens once.
    private static byte[] uncalled() {
        ClassWriter w = begin("S0");
        MethodVisitor m = method(w, 0);
        Label early = new Label();
        m.visitTypeInsn(NEW, "java/lang/Object");
        m.visitInsn(DUP);
        m.visitVarInsn(ALOAD, 1);
        m.visitFieldInsn(GETFIELD, V, "number", "I");
        m.visitIntInsn(SIPUSH, 300);
        m.visitJumpInsn(IF_ICMPLT, early);
        m.visitMethodInsn(INVOKESPECIAL, "java/lang/Object", "<init>", "()V", false);
        m.visitInsn(POP);
        m.visitVarInsn(ALOAD, 1);
        m.visitMethodInsn(INVOKEVIRTUAL, V, "count", "()V", false);
        m.visitVarInsn(ALOAD, 1);
        m.visitFieldInsn(GETFIELD, V, "counted", "J");
        m.visitInsn(LRETURN);
        m.visitLabel(early);
        m.visitInsn(LCONST_0);
        m.visitInsn(LRETURN);
        m.visitMaxs(4, 2);
        m.visitEnd();
        w.visitEnd();
        return w.toByteArray();
    }

    private static ClassWriter begin(String name) {
        ClassWriter w = new ClassWriter(name.equals("S0") ? 0 : ClassWriter.COMPUTE_MAXS);
        w.visit(V1_5, ACC_PUBLIC | ACC_SUPER, name, null, "java/lang/Object", new String[] {"Sequence"});
        MethodVisitor m = w.visitMethod(ACC_PUBLIC, "<init>", "()V", null, null);
        m.visitCode();
        m.visitVarInsn(ALOAD, 0);
        m.visitMethodInsn(INVOKESPECIAL, "java/lang/Object", "<init>", "()V", false);
        m.visitInsn(RETURN);
        m.visitMaxs(1, 1);
        m.visitEnd();
        return w;
    }

    private static MethodVisitor method(ClassWriter w, int flags) {
        MethodVisitor m = w.visitMethod(ACC_PUBLIC | flags, "run", "(LValues;)J", null, new String[] {"java/lang/Throwable"});
        m.visitCode();
        return m;
    }

    private byte[] make(String name) {
        ClassWriter w = begin(name);
        m = method(w, chance(8) ? ACC_SYNCHRONIZED : 0);
        base = chance(4) ? 70 : chance(8) ? 300 : 4;
        budget = 40 + random.nextInt(120);
        prologue();
        block(3);
        epilogue();
        m.visitMaxs(0, 0);
        m.visitEnd();
        w.visitEnd();
        return w.toByteArray();
    }

    private boolean chance(int of) { return random.nextInt(of) == 0; }
    private int pick(int... of) { return of[random.nextInt(of.length)]; }

    // ---- local variables: 0 this, 1 the values, 2 the partial result ------------------------------------------------

    private int local(char type, int number) {
        switch (type) {
            case 'I': return base + number;
            case 'J': return base + INTS + 2 * number;
            case 'F': return base + INTS + 2 * LONGS + number;
            case 'D': return base + INTS + 2 * LONGS + FLOATS + 2 * number;
            case 'A': return base + INTS + 2 * LONGS + FLOATS + 2 * DOUBLES + number;
            default: return base + INTS + 2 * LONGS + FLOATS + 2 * DOUBLES + OBJECTS + number;  // loop counters
        }
    }

    private static int count(char type) { return type == 'I' ? INTS : type == 'J' ? LONGS : type == 'F' ? FLOATS : type == 'D' ? DOUBLES : OBJECTS; }
    private int anyLocal(char type) { return local(type, random.nextInt(count(type))); }
    private static int loadOp(char type) { return type == 'I' ? ILOAD : type == 'J' ? LLOAD : type == 'F' ? FLOAD : type == 'D' ? DLOAD : ALOAD; }
    private static int storeOp(char type) { return loadOp(type) + ISTORE - ILOAD; }
    private static String descriptor(char type) { return type == 'A' ? "Ljava/lang/Object;" : "" + type; }

    private void prologue() {
        m.visitInsn(LCONST_0);
        m.visitVarInsn(LSTORE, 2);
        for (char type : "IJFDA".toCharArray())
            for (int i = 0; i < count(type); i++) {
                m.visitVarInsn(ALOAD, 1);
                m.visitFieldInsn(GETFIELD, V, Character.toLowerCase(type) + "" + i % 3, descriptor(type));
                m.visitVarInsn(storeOp(type), local(type, i));
            }
        for (int i = 0; i < COUNTERS; i++) {
            m.visitInsn(ICONST_0);
            m.visitVarInsn(ISTORE, local('c', i));
        }
    }

    private void epilogue() {
        if (chance(2)) clear(0);  // otherwise operands are left on the stack
        for (char type : "IJFDA".toCharArray())
            for (int i = 0; i < count(type); i++) {
                m.visitVarInsn(loadOp(type), local(type, i));
                push("" + type);
                accumulate();
            }
        m.visitVarInsn(LLOAD, 2);
        m.visitInsn(LRETURN);
    }

    // ---- the operand stack ---------------------------------------------------------------------------------------------

    private static String slots(String types) { return types.replace("J", "Jj").replace("D", "Dd"); }
    private void push(String types) { stack.append(slots(types)); }
    private void drop(String types) { stack.setLength(stack.length() - slots(types).length()); }
    private int height() { return stack.length(); }
    private char top() {
        char c = stack.charAt(height() - 1);
        return Character.toUpperCase(c);
    }

    // Makes the topmost operands have these types: keeps those that match and pushes the rest.
    private void need(String types) {
        int have = types.length();
        while (have > 0) {
            String wanted = slots(types.substring(0, have));
            if (height() - wanted.length() >= floor && stack.toString().endsWith(wanted)) break;
            have--;
        }
        for (int i = have; i < types.length(); i++) value(types.charAt(i));
    }

    private void op(int opcode, String takes, String gives) {
        need(takes);
        m.visitInsn(opcode);
        drop(takes);
        push(gives);
    }

    private void call(int opcode, String owner, String name, String takes, String gives) {
        StringBuilder d = new StringBuilder("(");
        int from = opcode == INVOKESTATIC ? 0 : 1;
        for (int i = from; i < takes.length(); i++) d.append(descriptor(takes.charAt(i)));
        d.append(')').append(gives.isEmpty() ? "V" : descriptor(gives.charAt(0)));
        m.visitMethodInsn(opcode, owner, name, d.toString(), opcode == INVOKEINTERFACE);
        drop(takes);
        push(gives);
    }

    private void constant(char type) {
        switch (type) {
            case 'I': integer(chance(2) ? pick(EDGE_INTS) : random.nextInt(20) - 10); break;
            case 'J': {
                long v = chance(2) ? EDGE_LONGS[random.nextInt(EDGE_LONGS.length)] : random.nextInt(20) - 10;
                if (v == 0 || v == 1) m.visitInsn(LCONST_0 + (int)v);
                else m.visitLdcInsn(v);
                break;
            }
            case 'F': m.visitLdcInsn((float)EDGE_DOUBLES[random.nextInt(EDGE_DOUBLES.length)]); break;
            case 'D': m.visitLdcInsn(EDGE_DOUBLES[random.nextInt(EDGE_DOUBLES.length)]); break;
            default:
                if (chance(2)) m.visitInsn(ACONST_NULL);
                else m.visitLdcInsn("text " + random.nextInt(3));
        }
        push("" + type);
    }

    private void integer(int v) {
        if (v >= -1 && v <= 5) m.visitInsn(ICONST_0 + v);
        else if (v == (byte)v) m.visitIntInsn(BIPUSH, v);
        else if (v == (short)v) m.visitIntInsn(SIPUSH, v);
        else m.visitLdcInsn(v);
    }

    // Pushes an operand that needs no other.
    private void value(char type) {
        switch (random.nextInt(10)) {
            case 0: case 1: constant(type); break;
            case 2: field(type); break;
            case 3:
                m.visitFieldInsn(GETSTATIC, V, "s" + Character.toLowerCase(type), descriptor(type));
                push("" + type);
                break;
            case 4: element(type); break;
            default:
                m.visitVarInsn(loadOp(type), anyLocal(type));
                push("" + type);
        }
    }

    private void field(char type) {
        m.visitVarInsn(ALOAD, 1);
        if (type == 'I') {
            String name = new String[] {"i0", "i1", "i2", "z", "b", "c", "s", "vi"}[random.nextInt(8)];
            m.visitFieldInsn(GETFIELD, V, name, narrow(name));
        } else {
            m.visitFieldInsn(GETFIELD, V, Character.toLowerCase(type) + "" + random.nextInt(3), descriptor(type));
        }
        push("" + type);
    }

    private static String narrow(String name) { return name.length() == 1 ? name.toUpperCase() : "I"; }

    private static final String[] ARRAYS = {"iI", "bB", "zZ", "cC", "sS", "jJ", "fF", "dD", "aA"};
    private static final int[] LOADS = {IALOAD, BALOAD, BALOAD, CALOAD, SALOAD, LALOAD, FALOAD, DALOAD, AALOAD};
    private static final int[] STORES = {IASTORE, BASTORE, BASTORE, CASTORE, SASTORE, LASTORE, FASTORE, DASTORE, AASTORE};

    private int arrayOf(char type) { return type == 'I' ? random.nextInt(5) : "JFDA".indexOf(type) + 5; }

    private void array(int which) {
        String d = ARRAYS[which].substring(1);
        m.visitVarInsn(ALOAD, 1);
        m.visitFieldInsn(GETFIELD, V, ARRAYS[which].charAt(0) + "Array", "[" + descriptor(d.charAt(0)));
    }

    private void index() {
        if (chance(3)) {
            integer(random.nextInt(60) == 0 ? pick(EDGE_INTS) : random.nextInt(8));
            return;
        }
        m.visitVarInsn(ILOAD, anyLocal('I'));
        if (chance(50)) return;
        integer(7);
        m.visitInsn(IAND);
    }

    private void element(char type) {
        int which = arrayOf(type);
        array(which);
        index();
        m.visitInsn(LOADS[which]);
        push("" + type);
    }

    // ---- consuming -----------------------------------------------------------------------------------------------------

    private void accumulate() {
        switch (top()) {
            case 'I': m.visitInsn(I2L); break;
            case 'F':
                m.visitMethodInsn(INVOKESTATIC, "java/lang/Float", "floatToIntBits", "(F)I", false);
                m.visitInsn(I2L);
                break;
            case 'D': m.visitMethodInsn(INVOKESTATIC, "java/lang/Double", "doubleToLongBits", "(D)J", false); break;
            case 'A':
                m.visitMethodInsn(INVOKESTATIC, RUN, "number", "(Ljava/lang/Object;)I", false);
                m.visitInsn(I2L);
                break;
            default:
        }
        m.visitVarInsn(LLOAD, 2);
        m.visitLdcInsn(31L);
        m.visitInsn(LMUL);
        m.visitInsn(LADD);
        m.visitVarInsn(LSTORE, 2);
        drop("" + top());
    }

    private void consume() {
        char type = top();
        switch (random.nextInt(5)) {
            case 0: accumulate(); break;
            case 1:
                if (type == 'I') {
                    String name = new String[] {"i0", "i1", "i2", "z", "b", "c", "s", "vi"}[random.nextInt(8)];
                    m.visitVarInsn(ALOAD, 1);
                    m.visitInsn(SWAP);
                    m.visitFieldInsn(PUTFIELD, V, name, narrow(name));
                } else if (type == 'J' || type == 'D') {
                    m.visitVarInsn(ALOAD, 1);
                    m.visitInsn(DUP_X2);
                    m.visitInsn(POP);
                    m.visitFieldInsn(PUTFIELD, V, Character.toLowerCase(type) + "" + random.nextInt(3), descriptor(type));
                } else {
                    m.visitFieldInsn(PUTSTATIC, V, "s" + Character.toLowerCase(type), descriptor(type));
                }
                drop("" + type);
                break;
            case 2: {
                int which = arrayOf(type);
                array(which);
                index();
                if (type == 'J' || type == 'D') {
                    m.visitInsn(DUP2_X2);
                    m.visitInsn(POP2);
                } else {
                    m.visitInsn(DUP2_X1);
                    m.visitInsn(POP2);
                }
                m.visitInsn(STORES[which]);
                drop("" + type);
                if (which == 8 && chance(3)) {  // a store that must fail
                    m.visitVarInsn(ALOAD, 1);
                    m.visitFieldInsn(GETFIELD, V, "strings", "[Ljava/lang/Object;");
                    index();
                    m.visitVarInsn(ALOAD, anyLocal('A'));
                    m.visitInsn(AASTORE);
                }
                break;
            }
            default:
                m.visitVarInsn(storeOp(type), anyLocal(type));
                drop("" + type);
        }
    }

    private void clear(int to) {
        while (height() > to) {
            if (chance(3)) {
                m.visitInsn(top() == 'J' || top() == 'D' ? POP2 : POP);
                drop("" + top());
            } else {
                consume();
            }
        }
    }

    // ---- instructions --------------------------------------------------------------------------------------------------

    private boolean splits(int depth) { return depth < height() && "jd".indexOf(stack.charAt(height() - depth)) >= 0; }

    private void shuffle() {
        int which = random.nextInt(9);
        int[] ops = {DUP, DUP_X1, DUP_X2, DUP2, DUP2_X1, DUP2_X2, SWAP, POP, POP2};
        int[] moved = {1, 1, 1, 2, 2, 2, 1, 1, 2}, below = {0, 1, 2, 0, 1, 2, 1, 0, 0};
        int all = moved[which] + below[which];
        if (height() - all < floor || splits(moved[which]) || splits(all)) return;
        String bottom = stack.substring(0, height() - all), mid = stack.substring(height() - all, height() - moved[which]),
               topmost = stack.substring(height() - moved[which]);
        m.visitInsn(ops[which]);
        stack.setLength(0);
        stack.append(bottom);
        if (which < 6) stack.append(topmost).append(mid).append(topmost);
        else if (which == 6) stack.append(topmost).append(mid);
    }

    private void compute() {
        int k = random.nextInt(19);
        switch (k) {
            case 0: op(pick(IADD, ISUB, IMUL, IAND, IOR, IXOR), "II", "I"); break;
            case 1: op(pick(LADD, LSUB, LMUL, LAND, LOR, LXOR), "JJ", "J"); break;
            case 2: op(pick(FADD, FSUB, FMUL, FDIV, FREM), "FF", "F"); break;
            case 3: op(pick(DADD, DSUB, DMUL, DDIV, DREM), "DD", "D"); break;
            case 4: op(pick(ISHL, ISHR, IUSHR), "II", "I"); break;
            case 5: op(pick(LSHL, LSHR, LUSHR), "JI", "J"); break;
            case 6: divide(); break;
            case 7: op(pick(INEG, I2B, I2C, I2S), "I", "I"); break;
            case 8: op(LNEG, "J", "J"); break;
            case 9: if (chance(2)) op(FNEG, "F", "F"); else op(DNEG, "D", "D"); break;
            case 10: if (chance(2)) op(I2L, "I", "J"); else op(L2I, "J", "I"); break;
            case 11: if (chance(2)) op(I2F, "I", "F"); else op(I2D, "I", "D"); break;
            case 12: if (chance(2)) op(L2F, "J", "F"); else op(L2D, "J", "D"); break;
            case 13: if (chance(2)) op(F2I, "F", "I"); else op(F2L, "F", "J"); break;
            case 14: if (chance(2)) op(D2I, "D", "I"); else op(D2L, "D", "J"); break;
            case 15: if (chance(2)) op(F2D, "F", "D"); else op(D2F, "D", "F"); break;
            case 16: op(LCMP, "JJ", "I"); break;
            case 17: if (chance(2)) op(pick(FCMPL, FCMPG), "FF", "I"); else op(pick(DCMPL, DCMPG), "DD", "I"); break;
            default:
                if (chance(2)) m.visitIincInsn(anyLocal('I'), pick(1, -1, 100, -129, 32767, -32768));
                else op(NOP, "", "");
        }
    }

    private void divide() {
        boolean wide = chance(2);
        if (chance(2)) {  // by a constant, which the compiler may use
            need(wide ? "J" : "I");
            int v = pick(1, -1, 2, 10, 127, -128, 3);
            if (wide) m.visitLdcInsn((long)v);
            else integer(v);
            push(wide ? "J" : "I");
        } else {
            need(wide ? "JJ" : "II");
            if (!chance(8)) {  // mostly not by zero
                if (wide) m.visitLdcInsn(1L);
                else integer(1);
                m.visitInsn(wide ? LOR : IOR);
            }
        }
        op(wide ? pick(LDIV, LREM) : pick(IDIV, IREM), wide ? "JJ" : "II", wide ? "J" : "I");
    }

    private static final String[] TYPES = {"java/lang/String", "java/lang/Integer", "java/lang/Number", "java/lang/Comparable", "java/lang/Object", "[I",
                                           "[Ljava/lang/Object;", "Values", "java/util/List"};

    private void objects() {
        switch (random.nextInt(12)) {
            case 0: case 1:
                need("A");
                m.visitTypeInsn(INSTANCEOF, TYPES[random.nextInt(TYPES.length)]);
                drop("A");
                push("I");
                break;
            case 2:
                need("A");
                m.visitTypeInsn(CHECKCAST, chance(6) ? TYPES[random.nextInt(TYPES.length)] : "java/lang/Object");
                break;
            case 3:
                m.visitTypeInsn(NEW, "java/lang/Object");
                m.visitInsn(DUP);
                m.visitMethodInsn(INVOKESPECIAL, "java/lang/Object", "<init>", "()V", false);
                push("A");
                break;
            case 4:
                m.visitVarInsn(ILOAD, anyLocal('I'));
                if (!chance(20)) {
                    integer(7);
                    m.visitInsn(IAND);
                } else {
                    integer(2000);
                    m.visitInsn(IREM);
                }
                if (chance(2)) m.visitIntInsn(NEWARRAY, pick(T_INT, T_BYTE, T_LONG, T_CHAR, T_BOOLEAN));
                else m.visitTypeInsn(ANEWARRAY, "java/lang/String");
                push("A");
                break;
            case 5:
                integer(random.nextInt(3));
                m.visitVarInsn(ILOAD, anyLocal('I'));
                integer(3);
                m.visitInsn(IAND);
                m.visitMultiANewArrayInsn("[[[J", 2);
                push("A");
                break;
            case 6: {
                array(random.nextInt(ARRAYS.length));
                m.visitInsn(ARRAYLENGTH);
                push("I");
                break;
            }
            case 7: case 8:
                need("I");
                m.visitVarInsn(ALOAD, 1);
                m.visitFieldInsn(GETFIELD, V, "ops", "LOps;");
                m.visitInsn(SWAP);
                m.visitMethodInsn(INVOKEINTERFACE, "Ops", "apply", "(I)I", true);
                break;
            case 9:
                need("II");
                m.visitVarInsn(ALOAD, 1);
                m.visitInsn(DUP_X2);
                m.visitInsn(POP);
                m.visitMethodInsn(INVOKEVIRTUAL, V, chance(3) ? "locked" : "virtual", "(II)I", false);
                drop("II");
                push("I");
                break;
            default: staticCall();
        }
    }

    private void staticCall() {
        String[][] calls = {{"mixI", "II", "I"}, {"mixJ", "JI", "J"}, {"mixF", "FD", "F"}, {"mixD", "DJ", "D"}, {"mixA", "AI", "A"}, {"narrowB", "I", "I"},
                            {"narrowZ", "I", "I"}, {"many", "IJFDAIJ", "J"}, {"nothing", "ID", ""}};
        String[] c = calls[random.nextInt(calls.length)];
        need(c[1]);
        call(INVOKESTATIC, RUN, c[0], c[1], c[2]);
    }

    // ---- control -------------------------------------------------------------------------------------------------------

    // A branch to the label, with the operands that it takes.
    private void branch(Label to) {
        int zero = pick(IFEQ, IFNE, IFLT, IFGE, IFGT, IFLE);
        switch (random.nextInt(9)) {
            case 0: need("I"); drop("I"); m.visitJumpInsn(zero, to); break;
            case 1: case 2: need("II"); drop("II"); m.visitJumpInsn(pick(IF_ICMPEQ, IF_ICMPNE, IF_ICMPLT, IF_ICMPGE, IF_ICMPGT, IF_ICMPLE), to); break;
            case 3: need("AA"); drop("AA"); m.visitJumpInsn(pick(IF_ACMPEQ, IF_ACMPNE), to); break;
            case 4: need("A"); drop("A"); m.visitJumpInsn(pick(IFNULL, IFNONNULL), to); break;
            case 5: op(LCMP, "JJ", "I"); drop("I"); m.visitJumpInsn(zero, to); break;
            case 6: op(pick(FCMPL, FCMPG), "FF", "I"); drop("I"); m.visitJumpInsn(zero, to); break;
            case 7: op(pick(DCMPL, DCMPG), "DD", "I"); drop("I"); m.visitJumpInsn(zero, to); break;
            default:  // the code after it does not run before the code is hot
                m.visitVarInsn(ALOAD, 1);
                m.visitFieldInsn(GETFIELD, V, "number", "I");
                integer(100 + random.nextInt(200));
                m.visitJumpInsn(chance(2) ? IF_ICMPLT : IF_ICMPGE, to);
        }
    }

    // Code that leaves the operands below it unchanged.
    private void inner(int depth) {
        int old = floor, size = height();
        floor = size;
        block(depth - 1);
        clear(size);
        floor = old;
    }

    private void choice(int depth) {
        Label other = new Label(), end = new Label();
        branch(other);
        inner(depth);
        if (chance(2)) {
            m.visitJumpInsn(GOTO, end);
            m.visitLabel(other);
            inner(depth);
            m.visitLabel(end);
        } else {
            m.visitLabel(other);
        }
    }

    private void loop(int depth) {
        if (loops == COUNTERS) return;
        int counter = local('c', loops++), times = 1 + random.nextInt(6);
        Label head = new Label(), end = new Label();
        m.visitInsn(ICONST_0);
        m.visitVarInsn(ISTORE, counter);
        if (chance(2)) stackUp();
        m.visitLabel(head);
        inner(depth);
        m.visitIincInsn(counter, 1);
        switch (random.nextInt(5)) {
            case 0:
                m.visitVarInsn(ILOAD, counter);
                integer(times);
                m.visitJumpInsn(IF_ICMPGE, end);
                m.visitJumpInsn(GOTO, head);
                break;
            case 1: {
                Label[] cases = new Label[times];
                java.util.Arrays.fill(cases, head);
                m.visitVarInsn(ILOAD, counter);
                m.visitTableSwitchInsn(0, times - 1, end, cases);
                break;
            }
            case 2:
                m.visitVarInsn(ILOAD, counter);
                m.visitLookupSwitchInsn(head, new int[] {times, times + 5}, new Label[] {end, end});
                break;
            case 3:
                m.visitVarInsn(ILOAD, counter);
                m.visitInsn(I2D);
                m.visitLdcInsn((double)times);
                m.visitInsn(DCMPG);
                m.visitJumpInsn(IFLT, head);
                break;
            default:
                m.visitVarInsn(ILOAD, counter);
                integer(times);
                m.visitJumpInsn(IF_ICMPLT, head);
        }
        m.visitLabel(end);
        loops--;
    }

    private void stackUp() {
        for (int n = random.nextInt(4); n > 0; n--) value("IJFDA".charAt(random.nextInt(5)));
    }

    private void switches(int depth) {
        int n = 1 + random.nextInt(7);
        Label[] labels = new Label[n];
        Label other = new Label(), end = new Label();
        for (int i = 0; i < n; i++) labels[i] = i > 0 && chance(4) ? labels[i - 1] : new Label();
        need("I");
        if (chance(2)) {
            integer(7);
            m.visitInsn(IAND);
        }
        drop("I");
        if (chance(2)) {
            int low = pick(0, 0, 1, -3, Integer.MIN_VALUE, Integer.MAX_VALUE - 6);
            m.visitTableSwitchInsn(low, low + n - 1, other, labels);
        } else {
            int[] keys = new int[n];
            int key = pick(Integer.MIN_VALUE, -100, 0, 1);
            for (int i = 0; i < n; i++, key += 1 + random.nextInt(chance(3) ? 1000000 : 2)) keys[i] = key;
            m.visitLookupSwitchInsn(other, keys, labels);
        }
        for (int i = 0; i < n; i++) {
            if (i > 0 && labels[i] == labels[i - 1]) continue;
            m.visitLabel(labels[i]);
            inner(Math.min(depth, 1));
            if (!chance(4)) m.visitJumpInsn(GOTO, end);
        }
        m.visitLabel(other);
        inner(Math.min(depth, 1));
        m.visitLabel(end);
    }

    // A handler starts with an empty stack.
    private void guarded(int depth) {
        boolean locks = chance(2);
        Label begin = new Label(), end = new Label(), handler = new Label(), behind = new Label();
        int old = floor;
        clear(0);
        floor = 0;
        if (locks) {
            m.visitVarInsn(ALOAD, 1);
            m.visitInsn(MONITORENTER);
        }
        m.visitLabel(begin);
        m.visitInsn(NOP);
        block(depth - 1);
        clear(0);
        m.visitLabel(end);
        m.visitTryCatchBlock(begin, end, handler, null);  // after those in the block, which have priority
        m.visitJumpInsn(GOTO, behind);
        m.visitLabel(handler);
        push("A");
        accumulate();
        m.visitLabel(behind);
        if (locks) {
            m.visitVarInsn(ALOAD, 1);
            m.visitInsn(MONITOREXIT);
        }
        floor = old;
    }

    private void block(int depth) {
        for (int n = 3 + random.nextInt(14); n > 0 && budget > 0; n--) {
            budget--;
            if (height() > HIGH + floor) {
                clear(floor + random.nextInt(4));
                continue;
            }
            int k = random.nextInt(20);
            if (k < 3) value("IJFDA".charAt(random.nextInt(5)));
            else if (k < 8) shuffle();
            else if (k < 12) compute();
            else if (k < 14) objects();
            else if (k < 16 && height() > floor) consume();
            else if (depth > 0 && k == 16) choice(depth);
            else if (depth > 0 && k == 17) loop(depth);
            else if (depth > 0 && k == 18) { if (chance(2)) switches(depth); else choice(depth); }
            else if (depth > 0 && k == 19 && floor == 0) guarded(depth);
        }
    }
}
