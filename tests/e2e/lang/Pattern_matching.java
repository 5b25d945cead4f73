// instanceof patterns, switch expressions, records and sealed types together: scope of bindings, yields, missing cases.
import java.util.*;

public class Pattern_matching {
    sealed interface Expr permits Num, Add, Mul, Neg { }
    record Num(double v) implements Expr { }
    record Add(Expr l, Expr r) implements Expr { }
    record Mul(Expr l, Expr r) implements Expr { }
    record Neg(Expr e) implements Expr { }
    enum Op { PLUS, MINUS, TIMES }

    static double eval(Expr e) {
        if (e instanceof Num n) return n.v();
        if (e instanceof Add a) return eval(a.l()) + eval(a.r());
        if (e instanceof Mul m && !(m.l() instanceof Num z && z.v() == 0)) return eval(m.l()) * eval(m.r());
        if (!(e instanceof Neg g)) return 0;
        return -eval(g.e());
    }
    static String kind(Object o) {
        if (o instanceof String s && s.length() > 2 || o instanceof Integer) return "long or int";
        if (!(o instanceof CharSequence c)) return o instanceof int[] a && a.length > 0 ? "ints " + a[0] : o instanceof Object[][] x ? "deep " + x.length : "other";
        return "seq " + c.length();
    }
    static String sw(String s) { return switch (s) { case "Aa", "BB" -> "same hash"; case "AaAa" -> "a"; case "BBBB" -> "b"; case "AaBB" -> { String r = ""; for (int i = 0; i < 3; i++) { if (i == 1) continue; r += i; } yield r; } default -> { if (s.isEmpty()) yield "empty"; yield s.charAt(0) + "..."; } }; }
    static int old(int n) { int r = switch (n % 5) { case 0: yield 1; case 1: n *= 2; case 2: yield n; default: try { yield n / (n - 3); } finally { n = 0; } }; return r; }
    static int days(int m, boolean leap) { return switch (m) { case 4, 6, 9, 11 -> 30; case 2 -> leap ? 29 : 28; default -> { if (m < 1 || m > 12) throw new IllegalArgumentException("month " + m); yield 31; } }; }
    static Object mixed(Op o) { return switch (o) { case PLUS -> 1; case MINUS -> 2L; case TIMES -> 'c'; }; }

    public static void main(String[] args) {
        System.out.println(eval(new Add(new Num(2), new Mul(new Num(3), new Neg(new Num(4))))) + " " + eval(new Mul(new Num(0), new Num(5))));
        for (Object o : new Object[]{"ab", "abc", 5, 5L, new int[]{7}, new int[0], new String[2][3], new StringBuilder("xy"), null}) System.out.print(kind(o) + "; ");
        System.out.println();
        for (String s : new String[]{"Aa", "BB", "AaAa", "BBBB", "AaBB", "BBAa", "", "zz"}) System.out.print(sw(s) + "; ");
        System.out.println();
        for (int i = 0; i < 10; i++) try { System.out.print(old(i) + " "); } catch (ArithmeticException e) { System.out.print("x "); }
        System.out.println();
        for (int m = 0; m < 14; m++) try { System.out.print(days(m, m % 2 == 0) + " "); } catch (IllegalArgumentException e) { System.out.print(e.getMessage() + " "); }
        System.out.println();
        for (Op o : Op.values()) System.out.print(mixed(o) + " " + mixed(o).getClass().getSimpleName() + " ");
        System.out.println();
        try { sw(null); } catch (NullPointerException e) { System.out.println("null string"); }
        try { mixed(null); } catch (NullPointerException e) { System.out.println("null enum"); }
        var anon = new Object() { int n = 3; int twice() { return n * 2; } };
        var list = new ArrayList<Map<String, ? extends Number>>();
        list.add(Map.of("k", 1.5));
        for (var e : list) for (var v : e.values()) System.out.println(anon.twice() + v.intValue());
        System.out.println("""
            text "block" \
            joined \t tab\s
              indented \"""
            end""");
        System.out.println(new Add(new Num(1), null) + " " + new Num(Double.NaN).equals(new Num(Double.NaN)) + " " + Expr.class.isSealed() + " " + Expr.class.getPermittedSubclasses().length);
    }
}
