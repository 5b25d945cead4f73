import java.math.BigInteger;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.util.Arrays;
import java.util.Base64;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.zip.Adler32;
import java.util.zip.CRC32;
import java.util.zip.CRC32C;
import javax.crypto.Cipher;
import javax.crypto.spec.GCMParameterSpec;
import javax.crypto.spec.IvParameterSpec;
import javax.crypto.spec.SecretKeySpec;

/**
 * Nanoseconds per call of class library methods: the table in benchmarks/results/AGAINST-C2.md.
 *
 * <p>Usage: java Methods [PATTERN [MILLISECONDS]]. Prints a line for each method whose name matches: the lowest time
 * per call over stretches of at least a thousandth of the measuring time.
 */
public class Methods {
    interface Loop { long run(int times) throws Exception; }

    static final Map<String, Loop> LOOPS = new LinkedHashMap<>();
    static long sink;

    static final String TEXT = "the quick brown fox jumps over the lazy dog and then it goes on ".repeat(16);
    static final String[] SHORT = {"alpha", "beta", "gamma", "delta", "alphabet", "be", "gammaray", "epsilon"};
    static final String[] SAME = new String[SHORT.length];
    static final String[] WIDE = new String[SHORT.length];
    static final Object[] OBJECTS = {"s", 1, 2L, 'c', new int[3], 1.5, new Object(), "t"};
    static final Class<?>[] CLASSES = {String.class, Number.class, Comparable.class, int[].class, Object.class, Long.class, CharSequence.class, Double.class};
    static final byte[] KB = TEXT.getBytes(StandardCharsets.ISO_8859_1);
    static final byte[] SMALL = Arrays.copyOf(KB, 24), BIG = new byte[16384];
    static final char[] CHARS = TEXT.toCharArray(), FEW = Arrays.copyOf(CHARS, 24);
    static final String UTF16 = TEXT.replace('q', '\u03b1'), GREEK = "\u03b1\u03b2\u03b3\u03b4\u03b5".repeat(200);

    static {
        for (int i = 0; i < SHORT.length; i++) {
            SAME[i] = new String(SHORT[i]);
            WIDE[i] = SHORT[i] + '\u03b1';
        }
        for (int i = 0; i < BIG.length; i++) BIG[i] = (byte) (i * 31 + (i >> 7));
        strings();
        arrays();
        objects();
        numbers();
        digests();
    }

    static void strings() {
        LOOPS.put("equals, same, short", n -> { long s = 0; for (int i = 0; i < n; i++) s += SHORT[i & 7].equals(SAME[i & 7]) ? 1 : 0; return s; });
        LOOPS.put("equals, other, short", n -> { long s = 0; for (int i = 0; i < n; i++) s += SHORT[i & 7].equals(SAME[i + 1 & 7]) ? 1 : 0; return s; });
        LOOPS.put("equals, 1000", n -> { long s = 0; String t = new String(TEXT.toCharArray()); for (int i = 0; i < n; i++) s += TEXT.equals(t) ? 1 : 0; return s; });
        LOOPS.put("compareTo, short", n -> { long s = 0; for (int i = 0; i < n; i++) s += SHORT[i & 7].compareTo(SAME[i + 4 & 7]); return s; });
        LOOPS.put("compareTo, short, UTF-16", n -> { long s = 0; for (int i = 0; i < n; i++) s += WIDE[i & 7].compareTo(WIDE[i + 4 & 7]); return s; });
        LOOPS.put("compareTo, short, mixed", n -> { long s = 0; for (int i = 0; i < n; i++) s += WIDE[i & 7].compareTo(SHORT[i + 4 & 7]); return s; });
        LOOPS.put("hashCode, new, short", n -> { long s = 0; for (int i = 0; i < n; i++) s += new String(SMALL, 0, 0, 5).hashCode() + i; return s; });
        LOOPS.put("hashCode of 1000, with making the string", n -> { long s = 0; for (int i = 0; i < n; i++) s += new String(KB, 0, 0, 1000).hashCode(); return s; });
        LOOPS.put("indexOf(char), found soon", n -> { long s = 0; for (int i = 0; i < n; i++) s += SHORT[i & 7].indexOf('a'); return s; });
        LOOPS.put("indexOf(char), UTF-16, found soon", n -> { long s = 0; for (int i = 0; i < n; i++) s += WIDE[i & 7].indexOf('a'); return s; });
        LOOPS.put("indexOf(char), 1000", n -> { long s = 0; for (int i = 0; i < n; i++) s += TEXT.indexOf('#'); return s; });
        LOOPS.put("indexOf(char), UTF-16, 1000", n -> { long s = 0; for (int i = 0; i < n; i++) s += UTF16.indexOf('#'); return s; });
        LOOPS.put("lastIndexOf(char), short", n -> { long s = 0; for (int i = 0; i < n; i++) s += SHORT[i & 7].lastIndexOf('a'); return s; });
        LOOPS.put("indexOf(String), short", n -> { long s = 0; for (int i = 0; i < n; i++) s += SHORT[i & 7].indexOf("ta"); return s; });
        LOOPS.put("indexOf(String), 1000", n -> { long s = 0; for (int i = 0; i < n; i++) s += TEXT.indexOf("cat"); return s; });
        LOOPS.put("startsWith, short", n -> { long s = 0; for (int i = 0; i < n; i++) s += SHORT[i & 7].startsWith("alp") ? 1 : 0; return s; });
        LOOPS.put("equalsIgnoreCase, short", n -> { long s = 0; for (int i = 0; i < n; i++) s += SHORT[i & 7].equalsIgnoreCase("ALPHA") ? 1 : 0; return s; });
        LOOPS.put("substring, short", n -> { long s = 0; for (int i = 0; i < n; i++) s += TEXT.substring(i & 63, (i & 63) + 7).length(); return s; });
        LOOPS.put("concatenation, short", n -> { long s = 0; for (int i = 0; i < n; i++) s += (SHORT[i & 7] + "=" + SAME[i + 1 & 7]).length(); return s; });
        LOOPS.put("replace(char), short", n -> { long s = 0; for (int i = 0; i < n; i++) s += SHORT[i & 7].replace('a', 'o').length(); return s; });
        LOOPS.put("trim, short", n -> { long s = 0; for (int i = 0; i < n; i++) s += SHORT[i & 7].trim().length(); return s; });
        LOOPS.put("toLowerCase, short", n -> { long s = 0; for (int i = 0; i < n; i++) s += SHORT[i & 7].toLowerCase().length(); return s; });
        LOOPS.put("toCharArray, short", n -> { long s = 0; for (int i = 0; i < n; i++) s += SHORT[i & 7].toCharArray().length; return s; });
        LOOPS.put("toCharArray, 1000", n -> { long s = 0; for (int i = 0; i < n; i++) s += TEXT.toCharArray().length; return s; });
        LOOPS.put("new String(char[]), 24", n -> { long s = 0; for (int i = 0; i < n; i++) s += new String(FEW).length(); return s; });
        LOOPS.put("new String(char[]), 1000", n -> { long s = 0; for (int i = 0; i < n; i++) s += new String(CHARS).length(); return s; });
        LOOPS.put("getBytes(ISO_8859_1), 1000", n -> { long s = 0; for (int i = 0; i < n; i++) s += TEXT.getBytes(StandardCharsets.ISO_8859_1).length; return s; });
        LOOPS.put("getBytes(UTF_8), 1000", n -> { long s = 0; for (int i = 0; i < n; i++) s += TEXT.getBytes(StandardCharsets.UTF_8).length; return s; });
        LOOPS.put("getBytes(UTF_8), short", n -> { long s = 0; for (int i = 0; i < n; i++) s += SHORT[i & 7].getBytes(StandardCharsets.UTF_8).length; return s; });
        LOOPS.put("getBytes(UTF_8), UTF-16, 1000", n -> { long s = 0; for (int i = 0; i < n; i++) s += GREEK.getBytes(StandardCharsets.UTF_8).length; return s; });
        LOOPS.put("getBytes(ISO_8859_1), UTF-16, 1000", n -> { long s = 0; for (int i = 0; i < n; i++) s += UTF16.getBytes(StandardCharsets.ISO_8859_1).length; return s; });
        LOOPS.put("new String(byte[], UTF_8), 24", n -> { long s = 0; for (int i = 0; i < n; i++) s += new String(SMALL, StandardCharsets.UTF_8).length(); return s; });
        LOOPS.put("new String(byte[], UTF_8), 1000", n -> { long s = 0; for (int i = 0; i < n; i++) s += new String(KB, StandardCharsets.UTF_8).length(); return s; });
        LOOPS.put("StringBuilder.append(char) x 24", n -> { long s = 0; for (int i = 0; i < n; i++) { StringBuilder b = new StringBuilder(); for (int k = 0; k < 24; k++) b.append((char) ('a' + k)); s += b.length(); } return s; });
        LOOPS.put("StringBuilder.append(String) x 8", n -> { long s = 0; for (int i = 0; i < n; i++) { StringBuilder b = new StringBuilder(); for (int k = 0; k < 8; k++) b.append(SHORT[k]); s += b.length(); } return s; });
        LOOPS.put("StringBuilder.append(int), toString", n -> { long s = 0; for (int i = 0; i < n; i++) s += new StringBuilder().append(i).append(',').toString().length(); return s; });
        LOOPS.put("StringBuilder of UTF-16 that gets Latin-1 x 8", n -> { long s = 0; for (int i = 0; i < n; i++) { StringBuilder b = new StringBuilder("\u03b1"); for (int k = 0; k < 8; k++) b.append(SHORT[k]); s += b.length(); } return s; });
        LOOPS.put("StringBuilder of UTF-16, append(char) x 24", n -> { long s = 0; for (int i = 0; i < n; i++) { StringBuilder b = new StringBuilder(64); for (int k = 0; k < 24; k++) b.append((char) ('\u03b1' + k)); s += b.length(); } return s; });
        LOOPS.put("intern", n -> { long s = 0; for (int i = 0; i < n; i++) s += SAME[i & 7].intern().length(); return s; });
    }

    static void arrays() {
        byte[] other = SMALL.clone(), big = BIG.clone(), kb = KB.clone();
        int[] ints = new int[1000], few = new int[6], same = few.clone(), to = new int[1000];
        long[] longs = new long[1000];
        Object[] refs = new Object[1000], some = Arrays.copyOf(OBJECTS, 8), less = new String[8];
        LOOPS.put("Arrays.equals(byte[]), 24", n -> { long s = 0; for (int i = 0; i < n; i++) s += Arrays.equals(SMALL, other) ? 1 : 0; return s; });
        LOOPS.put("Arrays.equals(byte[]), 1000", n -> { long s = 0; for (int i = 0; i < n; i++) s += Arrays.equals(KB, kb) ? 1 : 0; return s; });
        LOOPS.put("Arrays.equals(int[]), 6", n -> { long s = 0; for (int i = 0; i < n; i++) { same[0] = i & 1; s += Arrays.equals(few, same) ? 1 : 0; } return s; });
        LOOPS.put("Arrays.mismatch(int[]), 6", n -> { long s = 0; for (int i = 0; i < n; i++) { same[5] = i & 1; s += Arrays.mismatch(few, same); } return s; });
        LOOPS.put("Arrays.hashCode(int[]), 6", n -> { long s = 0; for (int i = 0; i < n; i++) s += Arrays.hashCode(few); return s; });
        LOOPS.put("Arrays.copyOf(int[]), 6", n -> { long s = 0; for (int i = 0; i < n; i++) s += Arrays.copyOf(few, 12).length; return s; });
        LOOPS.put("Arrays.copyOf(Object[]), 8", n -> { long s = 0; for (int i = 0; i < n; i++) s += Arrays.copyOf(OBJECTS, 12).length; return s; });
        LOOPS.put("Arrays.copyOfRange(Object[]), 8", n -> { long s = 0; for (int i = 0; i < n; i++) s += Arrays.copyOfRange(OBJECTS, 2, 7).length; return s; });
        LOOPS.put("int[].clone, 6", n -> { long s = 0; for (int i = 0; i < n; i++) s += few.clone().length; return s; });
        LOOPS.put("System.arraycopy(int[]), 6", n -> { long s = 0; for (int i = 0; i < n; i++) { System.arraycopy(few, 0, same, 0, 6); s += same[i % 6]; } return s; });
        LOOPS.put("System.arraycopy(int[]), 1000", n -> { long s = 0; for (int i = 0; i < n; i++) { System.arraycopy(ints, 0, to, 0, 1000); s += to[3]; } return s; });
        LOOPS.put("System.arraycopy(Object[]), 7 shifted", n -> { long s = 0; for (int i = 0; i < n; i++) { System.arraycopy(some, 0, some, 1, 7); s += some.length; } return s; });
        LOOPS.put("System.arraycopy(String[] to Object[]), 8", n -> { long s = 0; for (int i = 0; i < n; i++) { System.arraycopy(SHORT, 0, some, 0, 8); s += some.length; } return s; });
        LOOPS.put("Arrays.fill(byte[]), 1000", n -> { long s = 0; for (int i = 0; i < n; i++) { Arrays.fill(kb, (byte) i); s += kb[7]; } return s; });
        LOOPS.put("Arrays.fill(int[]), 6", n -> { long s = 0; for (int i = 0; i < n; i++) { Arrays.fill(same, i); s += same[3]; } return s; });
        LOOPS.put("Arrays.fill(int[]), 1000", n -> { long s = 0; for (int i = 0; i < n; i++) { Arrays.fill(ints, i); s += ints[3]; } return s; });
        LOOPS.put("Arrays.fill(long[]), 1000", n -> { long s = 0; for (int i = 0; i < n; i++) { Arrays.fill(longs, i); s += longs[3]; } return s; });
        LOOPS.put("Arrays.fill(Object[]), 1000", n -> { long s = 0; for (int i = 0; i < n; i++) { Arrays.fill(refs, null); s += refs.length; } return s; });
        LOOPS.put("Arrays.sort(int[]), 1000", n -> { long s = 0; for (int i = 0; i < n; i++) { for (int k = 0; k < 1000; k++) to[k] = k * 7919 % 1000; Arrays.sort(to); s += to[3]; } return s; });
    }

    static void objects() {
        LOOPS.put("System.identityHashCode", n -> { long s = 0; for (int i = 0; i < n; i++) s += System.identityHashCode(OBJECTS[i & 7]); return s; });
        LOOPS.put("Object.hashCode", n -> { long s = 0; Object o = OBJECTS[6]; for (int i = 0; i < n; i++) s += o.hashCode() + i; return s; });
        LOOPS.put("Class.isInstance, varying", n -> { long s = 0; for (int i = 0; i < n; i++) s += CLASSES[i & 7].isInstance(OBJECTS[i * 3 & 7]) ? 1 : 0; return s; });
        LOOPS.put("Class.isInstance, constant", n -> { long s = 0; for (int i = 0; i < n; i++) s += Number.class.isInstance(OBJECTS[i & 7]) ? 1 : 0; return s; });
        LOOPS.put("Class.isAssignableFrom", n -> { long s = 0; for (int i = 0; i < n; i++) s += CLASSES[i & 7].isAssignableFrom(CLASSES[i * 3 & 7]) ? 1 : 0; return s; });
        LOOPS.put("Class.cast", n -> { long s = 0; Class<?> c = CLASSES[4]; for (int i = 0; i < n; i++) s += c.cast(OBJECTS[i & 7]) == null ? 1 : 0; return s; });
        LOOPS.put("Class.isInterface, isArray, getSuperclass", n -> { long s = 0; for (int i = 0; i < n; i++) { Class<?> c = CLASSES[i & 7]; s += (c.isInterface() ? 1 : 0) + (c.isArray() ? 2 : 0) + (c.getSuperclass() == null ? 4 : 0); } return s; });
        LOOPS.put("Class.getModifiers, getComponentType", n -> { long s = 0; for (int i = 0; i < n; i++) { Class<?> c = CLASSES[i & 7]; s += c.getModifiers() + (c.getComponentType() == null ? 4 : 0); } return s; });
        LOOPS.put("Array.getLength", n -> { long s = 0; for (int i = 0; i < n; i++) s += java.lang.reflect.Array.getLength(OBJECTS[4]); return s; });
        LOOPS.put("Array.newInstance", n -> { long s = 0; for (int i = 0; i < n; i++) s += ((Object[]) java.lang.reflect.Array.newInstance(CLASSES[i & 7 & ~3], 3)).length; return s; });
        LOOPS.put("Object[].clone", n -> { long s = 0; for (int i = 0; i < n; i++) s += OBJECTS.clone().length; return s; });
        var weak = new java.lang.ref.WeakReference<>(OBJECTS);
        LOOPS.put("WeakReference.get", n -> { long s = 0; for (int i = 0; i < n; i++) s += weak.get().length; return s; });
        ThreadLocal<Integer> local = ThreadLocal.withInitial(() -> 3);
        LOOPS.put("ThreadLocal.get", n -> { long s = 0; for (int i = 0; i < n; i++) s += local.get(); return s; });
        LOOPS.put("System.nanoTime", n -> { long s = 0; for (int i = 0; i < n; i++) s += System.nanoTime(); return s; });
        LOOPS.put("System.currentTimeMillis", n -> { long s = 0; for (int i = 0; i < n; i++) s += System.currentTimeMillis(); return s; });
        java.util.concurrent.atomic.AtomicInteger atomic = new java.util.concurrent.atomic.AtomicInteger();
        LOOPS.put("AtomicInteger.incrementAndGet", n -> { long s = 0; for (int i = 0; i < n; i++) s += atomic.incrementAndGet(); return s; });
        java.util.concurrent.atomic.AtomicBoolean flag = new java.util.concurrent.atomic.AtomicBoolean();
        LOOPS.put("AtomicBoolean.getAndSet, get", n -> { long s = 0; for (int i = 0; i < n; i++) s += flag.getAndSet((i & 1) == 0) == flag.get() ? 1 : 0; return s; });
        java.nio.ByteBuffer direct = java.nio.ByteBuffer.allocateDirect(1024), heap = java.nio.ByteBuffer.allocate(1024);
        LOOPS.put("ByteBuffer.getInt, getDouble", n -> { long s = 0; for (int i = 0; i < n; i++) s += heap.getInt(i & 511) + (long) heap.getDouble(i & 511); return s; });
        LOOPS.put("direct ByteBuffer.getInt, getFloat", n -> { long s = 0; for (int i = 0; i < n; i++) s += direct.getInt(i & 511) + (long) direct.getFloat(i & 511); return s; });
    }

    static void numbers() {
        LOOPS.put("Math.fma", n -> { double s = 0.5; for (int i = 0; i < n; i++) s = Math.fma(s, 0.999, i); return (long) s; });
        LOOPS.put("Math.round(double)", n -> { long s = 0; for (int i = 0; i < n; i++) s += Math.round(i * 0.37); return s; });
        LOOPS.put("Math.floor, ceil, rint", n -> { double s = 0; for (int i = 0; i < n; i++) s += Math.floor(i * 0.37) + Math.ceil(i * 0.1) + Math.rint(i * 0.3); return (long) s; });
        LOOPS.put("Math.sin, cos", n -> { double s = 0; for (int i = 0; i < n; i++) s += Math.sin(i * 0.01) + Math.cos(i * 0.01); return (long) s; });
        LOOPS.put("Math.tan", n -> { double s = 0; for (int i = 0; i < n; i++) s += Math.tan(i * 0.01); return (long) s; });
        LOOPS.put("Math.exp, log", n -> { double s = 0; for (int i = 1; i <= n; i++) s += Math.exp((i & 63) * 0.1) + Math.log(i); return (long) s; });
        LOOPS.put("Math.log10", n -> { double s = 0; for (int i = 1; i <= n; i++) s += Math.log10(i); return (long) s; });
        LOOPS.put("Math.pow", n -> { double s = 0; for (int i = 0; i < n; i++) s += Math.pow(1.0 + (i & 255), 1.3); return (long) s; });
        LOOPS.put("Math.pow(x, 2)", n -> { double s = 0; for (int i = 0; i < n; i++) s += Math.pow(i, 2); return (long) s; });
        LOOPS.put("Math.signum, ulp", n -> { double s = 0; for (int i = 0; i < n; i++) s += Math.signum(i - 5.0) + Math.ulp(i * 1.0); return (long) s; });
        LOOPS.put("Math.hypot, cbrt", n -> { double s = 0; for (int i = 0; i < n; i++) s += Math.hypot(i, 3) + Math.cbrt(i); return (long) s; });
        LOOPS.put("multiplyHigh, multiplyExact, floorMod", n -> { long s = 0; for (int i = 1; i <= n; i++) s += Math.multiplyHigh(s + i, 1234567890123L) + Math.multiplyExact(i & 1023, 3L) + Math.floorMod(s, i); return s; });
        LOOPS.put("incrementExact, negateExact", n -> { long s = 0; for (int i = 1; i <= n; i++) s += Math.incrementExact(i & 1023) + Math.negateExact(i & 7); return s; });
        LOOPS.put("bitCount, numberOfLeadingZeros", n -> { long s = 0; for (int i = 0; i < n; i++) s += Integer.bitCount(i) + Long.numberOfLeadingZeros(s); return s; });
        LOOPS.put("Integer.reverse, highestOneBit", n -> { long s = 0; for (int i = 0; i < n; i++) s += Integer.reverse(i) + Integer.highestOneBit(i); return s; });
        LOOPS.put("Long.compareUnsigned, divideUnsigned", n -> { long s = 0; for (int i = 1; i <= n; i++) s += Long.compareUnsigned(i, s) + Long.divideUnsigned(s, i); return s; });
        LOOPS.put("Integer.parseInt, toString", n -> { long s = 0; for (int i = 0; i < n; i++) s += Integer.parseInt(Integer.toString(i & 0xffff)); return s; });
        LOOPS.put("Character.isDigit, isLetter, isWhitespace", n -> { long s = 0; for (int i = 0; i < n; i++) { char c = TEXT.charAt(i & 511); s += (Character.isDigit(c) ? 1 : 0) + (Character.isLetter(c) ? 2 : 0) + (Character.isWhitespace(c) ? 4 : 0); } return s; });
        LOOPS.put("Double.toString", n -> { long s = 0; for (int i = 0; i < n; i++) s += Double.toString(i * 0.37).length(); return s; });
        LOOPS.put("Double.isNaN, isInfinite, doubleToLongBits", n -> { long s = 0; for (int i = 0; i < n; i++) { double d = i * 0.5; s += (Double.isNaN(d) ? 1 : 0) + (Double.isInfinite(d) ? 1 : 0) + Double.doubleToLongBits(d); } return s; });
        BigInteger a = new BigInteger("1234567890".repeat(31)), b = a.add(BigInteger.TEN), m = a.shiftRight(2).setBit(0);
        LOOPS.put("BigInteger.multiply, 1024 bits", n -> { long s = 0; for (int i = 0; i < n; i++) s += a.multiply(b).signum(); return s; });
        LOOPS.put("BigInteger.multiply itself (square), 1024 bits", n -> { long s = 0; for (int i = 0; i < n; i++) s += a.multiply(a).signum(); return s; });
        LOOPS.put("BigInteger.modPow, 1024 bits", n -> { long s = 0; for (int i = 0; i < n; i++) s += b.modPow(a, m).signum(); return s; });
        LOOPS.put("BigInteger.divide, 1024 by 512 bits", n -> { long s = 0; BigInteger d = a.shiftRight(512); for (int i = 0; i < n; i++) s += a.divide(d).signum(); return s; });
        LOOPS.put("BigInteger.toString, 1024 bits", n -> { long s = 0; for (int i = 0; i < n; i++) s += a.toString().length(); return s; });
        LOOPS.put("BigInteger.shiftLeft, add", n -> { long s = 0; for (int i = 0; i < n; i++) s += a.shiftLeft(13).add(b).signum(); return s; });
    }

    static void digests() {
        LOOPS.put("CRC32, 16 KB", n -> { long s = 0; CRC32 c = new CRC32(); for (int i = 0; i < n; i++) { c.update(BIG); s += c.getValue(); } return s; });
        LOOPS.put("CRC32, 24 bytes", n -> { long s = 0; CRC32 c = new CRC32(); for (int i = 0; i < n; i++) { c.update(SMALL); s += c.getValue(); } return s; });
        LOOPS.put("CRC32C, 16 KB", n -> { long s = 0; CRC32C c = new CRC32C(); for (int i = 0; i < n; i++) { c.update(BIG); s += c.getValue(); } return s; });
        LOOPS.put("Adler32, 16 KB", n -> { long s = 0; Adler32 c = new Adler32(); for (int i = 0; i < n; i++) { c.update(BIG); s += c.getValue(); } return s; });
        for (String name : new String[] {"MD5", "SHA-1", "SHA-256", "SHA-512", "SHA3-256"}) {
            LOOPS.put(name + ", 16 KB", n -> { long s = 0; MessageDigest d = MessageDigest.getInstance(name); for (int i = 0; i < n; i++) s += d.digest(BIG)[3]; return s; });
            LOOPS.put(name + ", 24 bytes", n -> { long s = 0; MessageDigest d = MessageDigest.getInstance(name); for (int i = 0; i < n; i++) s += d.digest(SMALL)[3]; return s; });
        }
        for (String mode : new String[] {"ECB", "CBC", "CTR", "GCM"})
            for (int way : new int[] {Cipher.ENCRYPT_MODE, Cipher.DECRYPT_MODE})
                if (way == Cipher.ENCRYPT_MODE || !mode.equals("CTR"))
                    LOOPS.put("AES/" + mode + (way == Cipher.ENCRYPT_MODE ? "" : " decryption") + ", 16 KB", n -> aes(mode, way, n));
        Base64.Encoder encoder = Base64.getEncoder();
        Base64.Decoder decoder = Base64.getDecoder();
        byte[] encoded = encoder.encode(BIG);
        LOOPS.put("Base64 encode, 16 KB", n -> { long s = 0; for (int i = 0; i < n; i++) s += encoder.encode(BIG).length; return s; });
        LOOPS.put("Base64 decode, 16 KB", n -> { long s = 0; for (int i = 0; i < n; i++) s += decoder.decode(encoded).length; return s; });
    }

    static long count;

    static long aes(String mode, int way, int n) throws Exception {
        Cipher c = Cipher.getInstance("AES/" + mode + "/NoPadding");
        SecretKeySpec key = new SecretKeySpec(Arrays.copyOf(KB, 16), "AES");
        byte[] out = new byte[BIG.length + 16], in = BIG;
        long s = 0;
        for (int i = 0; i < n; i++) {
            byte[] iv = new byte[mode.equals("GCM") ? 12 : 16];
            for (int k = 0; k < 8; k++) iv[k] = (byte) (count >> 8 * k);
            count++;
            if (mode.equals("ECB")) c.init(way, key);
            else if (!mode.equals("GCM")) c.init(way, key, new IvParameterSpec(iv));
            else {
                if (way == Cipher.DECRYPT_MODE && i == 0) {
                    c.init(Cipher.ENCRYPT_MODE, key, new GCMParameterSpec(128, iv));
                    in = c.doFinal(BIG);
                }
                if (way == Cipher.DECRYPT_MODE) iv = Arrays.copyOf(last = i == 0 ? iv : last, 12);
                c.init(way, key, new GCMParameterSpec(128, iv));
            }
            s += c.doFinal(in, 0, in.length, out, 0);
        }
        return s;
    }

    static byte[] last;

    static double measure(Loop loop, long limit) throws Exception {
        int times = 1;
        long begin = System.nanoTime(), piece = limit / 1000;
        double least = Double.MAX_VALUE;
        while (System.nanoTime() - begin < limit) {
            long from = System.nanoTime();
            sink += loop.run(times);
            long took = System.nanoTime() - from;
            if (took < piece) times = Math.max(times + 1, (int) (times * Math.min(10.0, 1.2 * piece / Math.max(took, 1))));
            else {
                least = Math.min(least, (double) took / times);
                if (took > 4 * piece) times = Math.max(1, times / 2);
            }
        }
        return least;
    }

    public static void main(String[] args) throws Exception {
        String pattern = args.length > 0 ? args[0] : ".*";
        long limit = (args.length > 1 ? Long.parseLong(args[1]) : 500) * 1_000_000;
        for (var e : LOOPS.entrySet())
            if (e.getKey().matches(pattern)) System.out.printf("%-55s %12.2f%n", e.getKey(), measure(e.getValue(), limit));
    }
}
