// Enum switches, enum with bodies, values, valueOf, ordinals, EnumSet ranges.
import java.util.EnumSet;

public class Switch_enums {
    enum Op {
        ADD("+") { int apply(int a, int b) { return a + b; } },
        SUB("-") { int apply(int a, int b) { return a - b; } },
        MUL("*") { int apply(int a, int b) { return a * b; } },
        NEG("~") {
            int apply(int a, int b) { return -a; }
            @Override boolean unary() { return true; }
        };
        final String sign;
        static int made;
        Op(String sign) { this.sign = sign; }
        abstract int apply(int a, int b);
        boolean unary() { return false; }
        static { for (Op o : values()) made += o.ordinal() + 1; }
    }

    enum Plain { A, B, C; Plain next() { return values()[(ordinal() + 1) % values().length]; } }

    interface Coded { int code(); }

    enum Code implements Coded {
        X(10), Y(20);
        private final int c;
        Code(int c) { this.c = c; }
        public int code() { return c; }
    }

    static String name(Plain p) {
        switch (p) {
            case A: return "first";
            case C: return "last";
            default: return "middle";
        }
    }

    static int all(Plain p) {
        return switch (p) {
            case A -> 1;
            case B -> 2;
            case C -> 3;
        };
    }

    public static void main(String[] args) {
        for (Op o : Op.values()) {
            System.out.println(o + " " + o.sign + " " + o.apply(7, 3) + " " + o.unary() + " " + o.getClass().getName()
                + " " + o.getDeclaringClass().getName() + " " + (o.getClass() == Op.class));
        }
        System.out.println(Op.made);
        for (Plain p : Plain.values()) System.out.println(name(p) + all(p) + p.next() + p.compareTo(Plain.B));
        try {
            Plain.valueOf("D");
        } catch (IllegalArgumentException e) {
            System.out.println(e.getMessage());
        }
        try {
            Plain none = null;
            all(none);
        } catch (NullPointerException e) {
            System.out.println("null enum");
        }
        int sum = 0;
        for (Coded c : Code.values()) sum += c.code();
        System.out.println(sum + " " + Code.valueOf("Y").code());
        System.out.println(EnumSet.range(Op.ADD, Op.MUL) + " " + EnumSet.complementOf(EnumSet.of(Op.SUB)));
        Plain[] one = Plain.values();
        one[0] = Plain.C;
        System.out.println(Plain.values()[0] + " " + (Plain.values() == Plain.values()));
    }
}
