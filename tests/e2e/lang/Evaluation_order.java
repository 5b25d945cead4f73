// Evaluation order seen by exceptions and side effects: operands, arrays, assignment, arguments, conditions, strings.
public class Evaluation_order {
    static StringBuilder log = new StringBuilder();
    static int v(String s, int x) { log.append(s); return x; }
    static int[] arr(String s, int[] a) { log.append(s); return a; }
    static Evaluation_order obj(String s, Evaluation_order o) { log.append(s); return o; }
    int f = 1;
    int m(int a, int b) { log.append('m'); return a - b; }
    interface Op { Object run(); }
    static void t(String what, Op o) { log.setLength(0); Object r; try { r = o.run(); } catch (RuntimeException e) { r = e.getClass().getSimpleName(); } System.out.println(what + ": " + r + " [" + log + "]"); }
    static boolean b(String s, boolean x) { log.append(s); return x; }

    public static void main(String[] args) {
        t("operands", () -> v("a", 1) + v("b", 2) * v("c", 3) - v("d", 4));
        t("division", () -> v("a", 1) / v("b", 0) + v("c", 1));
        t("array store", () -> arr("a", new int[1])[v("i", 5)] = v("v", 1));
        t("null array store", () -> arr("a", null)[v("i", 0)] = v("v", 1));
        t("null array store failing value", () -> arr("a", null)[v("i", 0)] = v("v", 1) / v("z", 0));
        t("compound null", () -> arr("a", null)[v("i", 0)] += v("v", 1));
        t("compound bounds", () -> arr("a", new int[1])[v("i", 1)] += v("v", 1));
        t("compound value kept", () -> { int x = 5; x += x++ * 2 + (x = 10); return x; });
        t("compound array", () -> { int[] a = {1, 2, 3}; int i = 0; a[i++] += a[i++] + i; return a[0] + " " + i; });
        t("increment", () -> { int i = 3; i = i++ + ++i; return i; });
        t("field null", () -> obj("o", null).f = v("v", 1));
        t("call null", () -> obj("o", null).m(v("a", 1), v("b", 2)));
        t("call failing argument", () -> obj("o", null).m(v("a", 1), v("b", 2) / v("z", 0)));
        t("call", () -> obj("o", new Evaluation_order()).m(v("a", 9), v("b", 2)));
        t("conditions", () -> b("a", false) && b("b", true) || b("c", true) & b("d", false) | b("e", true));
        t("ternary", () -> b("a", true) ? v("b", 1) : v("c", 2));
        t("ternary kinds", () -> { Object o = true ? 1 : 2.0; Object p = true ? (Integer) 1 : (Character) 'a'; Object q = false ? 'a' : 98; return o + " " + p + " " + q; });
        t("ternary unboxing", () -> { Integer n = null; int x = b("a", true) ? n : 0; return x; });
        t("concat", () -> { StringBuilder s = new StringBuilder("x"); return s + "," + s.append("y") + "," + s; });
        t("concat numbers", () -> 1 + 2 + "s" + 1 + 2 + 'c' + 1L + 1.0f + null + true);
        t("chars", () -> { char c = 'a'; c += 1; c++; int i = 'a' + 1; return c + " " + i + (char) i; });
        t("shifts", () -> (1 << 33) + " " + (1L << 33) + " " + (-1 >> 31) + " " + (-1 >>> 28) + " " + (-1L >>> 60) + " " + ((byte) -1 >>> 4) + " " + (5 >> -1));
        t("narrowing", () -> (byte) 300 + " " + (short) 70000 + " " + (char) -1 % 7 + " " + (int) 3e10 + " " + (long) -1e30 + " " + (int) Float.NaN + " " + (byte) 1e10 + " " + (char) 1e10 % 5);
        t("new array sizes", () -> new int[v("a", 2)][v("b", 3)].length);
        t("new array negative", () -> new int[v("a", -2)][v("b", -3)].length);
        t("return and finally", () -> { int x = 1; try { return x; } finally { x = 2; log.append("f" + x); } });
        t("switch once", () -> { switch (v("s", 2)) { case 1: log.append("1"); default: log.append("d"); case 3: log.append("3"); break; case 4: log.append("4"); } return ""; });
        t("loop condition", () -> { int n = 0; for (int i = v("i", 0); b("c", i < 2); i += v("u", 1)) n++; return n; });
        t("foreach once", () -> { int s = 0; for (int x : arr("a", new int[]{1, 2})) s += x; return s; });
        t("instance creation", () -> new Evaluation_order().m(v("a", 1), obj("o", new Evaluation_order()).m(v("b", 2), v("c", 3))));
        t("float equality", () -> (0.0 == -0.0) + " " + Double.valueOf(0.0).equals(-0.0) + " " + (Double.NaN == Double.NaN) + " " + (0.1f == 0.1) + " " + (16777217 == 16777216f));
        t("integer caches", () -> (Integer.valueOf(127) == Integer.valueOf(127)) + " " + (Integer.valueOf(128) == Integer.valueOf(128)) + " " + ((Object) 1).equals(1L) + " " + new Object[]{1}.getClass());
    }
}
