import java.util.*;
import java.util.function.IntPredicate;
import org.objectweb.asm.ClassReader;

/** Finds the bytecode indexes of instructions in a class file, which ASM does not provide. */
final class Calls {
    // Length of each instruction, one digit per opcode from 0 to 201; 0 means computed.
    private static final String LENGTHS = "1".repeat(16) + "2323322222" + "1".repeat(28) + "22222"
        + "1".repeat(73) + "3" + "1".repeat(20) + "3".repeat(16) + "200" + "1".repeat(6) + "3".repeat(7)
        + "55" + "323" + "11" + "33" + "11" + "0" + "4" + "33" + "55";

    private Calls() { }

    /** By method name and descriptor: the invoke instructions, except calls of the methods of class `except`. */
    static Map<String, int[]> offsets(ClassReader r, String except) {
        return offsets(r, at -> {
            int op = r.readByte(at) & 0xff;
            return op >= 182 && op <= 186
                && (op == 186 || !owner(r, at + 1, new char[r.getMaxStringLength()]).equals(except));
        });
    }

    /** By method name and descriptor: the instructions at positions in the class file that `wanted` accepts. */
    static Map<String, int[]> offsets(ClassReader r, IntPredicate wanted) {
        Map<String, int[]> result = new HashMap<>();
        char[] buffer = new char[r.getMaxStringLength()];
        int at = r.header + 6;
        at += 2 + 2 * r.readUnsignedShort(at);
        at = members(r, at, null, buffer, wanted);
        members(r, at, result, buffer, wanted);
        return result;
    }

    private static int members(ClassReader r, int at, Map<String, int[]> result, char[] buffer, IntPredicate wanted) {
        int n = r.readUnsignedShort(at);
        at += 2;
        for (; n > 0; n--) {
            String name = r.readUTF8(at + 2, buffer) + r.readUTF8(at + 4, buffer);
            int attributes = r.readUnsignedShort(at + 6);
            at += 8;
            for (; attributes > 0; attributes--) {
                if (result != null && r.readUTF8(at, buffer).equals("Code")) {
                    result.put(name, instructions(r, at + 14, r.readInt(at + 10), wanted));
                }
                at += 6 + r.readInt(at + 2);
            }
        }
        return at;
    }

    private static int[] instructions(ClassReader r, int code, int length, IntPredicate wanted) {
        List<Integer> found = new ArrayList<>();
        for (int bci = 0; bci < length; ) {
            int op = r.readByte(code + bci) & 0xff;
            if (wanted.test(code + bci)) found.add(bci);
            bci += width(r, code, bci, op);
        }
        return found.stream().mapToInt(x -> x).toArray();
    }

    private static String owner(ClassReader r, int at, char[] buffer) {
        int member = r.getItem(r.readUnsignedShort(at));
        return r.readClass(member, buffer);
    }

    private static int width(ClassReader r, int code, int bci, int op) {
        int fixed = LENGTHS.charAt(op) - '0';
        if (fixed != 0) return fixed;
        if (op == 196) return (r.readByte(code + bci + 1) & 0xff) == 132 ? 6 : 4;
        int pad = (bci + 4 & ~3) - bci, table = code + bci + pad;
        return op == 170 ? pad + 12 + 4 * (r.readInt(table + 8) - r.readInt(table + 4) + 1)
            : pad + 8 + 8 * r.readInt(table + 4);
    }
}
