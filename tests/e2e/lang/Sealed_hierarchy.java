// Sealed interfaces and classes with pattern matching for instanceof; permitted subclasses.
import java.util.Arrays;

public class Sealed_hierarchy {
    sealed interface Expr permits Num, Add, Mul, Neg { }
    record Num(double v) implements Expr { }
    record Add(Expr l, Expr r) implements Expr { }
    record Mul(Expr l, Expr r) implements Expr { }
    static final class Neg implements Expr { final Expr e; Neg(Expr e) { this.e = e; } }
    sealed static abstract class Base { }
    static final class One extends Base { }
    static non-sealed class Two extends Base { }
    static class Three extends Two { }

    static double eval(Expr e) {
        if (e instanceof Num n) return n.v();
        if (e instanceof Add a) return eval(a.l()) + eval(a.r());
        if (e instanceof Mul m && m.l() instanceof Num n && n.v() == 0) return 0;
        if (e instanceof Mul m) return eval(m.l()) * eval(m.r());
        if (!(e instanceof Neg g)) throw new AssertionError();
        return -eval(g.e);
    }

    static String show(Object o) {
        return o instanceof String s && s.length() > 2 ? "long " + s
            : o instanceof String s ? "short " + s
            : o instanceof Integer i && (i & 1) == 0 ? "even " + i
            : o instanceof int[] a && a.length > 0 ? "ints " + a[0] : "?";
    }

    public static void main(String[] args) {
        Expr e = new Add(new Num(2), new Mul(new Num(3), new Neg(new Num(4))));
        System.out.println(eval(e) + " " + eval(new Mul(new Num(0), null)));
        System.out.println(show("abc") + show("x") + show(4) + show(5) + show(new int[]{9}) + show(null));
        System.out.println(Expr.class.isSealed() + " " + Base.class.isSealed() + " " + Two.class.isSealed());
        String[] names = Arrays.stream(Expr.class.getPermittedSubclasses()).map(Class::getSimpleName).toArray(String[]::new);
        System.out.println(Arrays.toString(names));
        System.out.println(Arrays.toString(Base.class.getPermittedSubclasses()) + " " + Two.class.getPermittedSubclasses());
        Base b = new Three();
        System.out.println(b instanceof Two && !(b instanceof One));
    }
}
