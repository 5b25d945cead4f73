import java.io.Serializable;

/** instanceof and casts with more interfaces than a class has bits: implemented or not, inherited, arrays. */
public class Interfaces_told_by_bits {
    interface I0 { }
    interface I1 { }
    interface I2 { }
    interface I3 { }
    interface I4 { }
    interface I5 { }
    interface I6 { }
    interface I7 { }
    interface I8 { }
    interface I9 { }
    interface I10 { }
    interface I11 { }
    interface I12 extends I4, I9 { }
    interface I13 { }
    interface I14 { }
    interface I15 extends I11, I5 { }
    interface I16 { }
    interface I17 { }
    interface I18 extends I0, I16 { }
    interface I19 { }
    interface I20 { }
    interface I21 extends I14, I7 { }
    interface I22 { }
    interface I23 { }
    interface I24 extends I1, I20 { }
    interface I25 { }
    interface I26 { }
    interface I27 extends I3, I5 { }
    interface I28 { }
    interface I29 { }
    interface I30 extends I11, I15 { }
    interface I31 { }
    interface I32 { }
    interface I33 extends I15, I24 { }
    interface I34 { }
    interface I35 { }
    interface I36 extends I34, I6 { }
    interface I37 { }
    interface I38 { }
    interface I39 extends I15, I36 { }
    interface I40 { }
    interface I41 { }
    interface I42 extends I0, I13 { }
    interface I43 { }
    interface I44 { }
    interface I45 extends I17, I26 { }
    interface I46 { }
    interface I47 { }
    interface I48 extends I11, I24 { }
    interface I49 { }
    interface I50 { }
    interface I51 extends I10, I48 { }
    interface I52 { }
    interface I53 { }
    interface I54 extends I4, I51 { }
    interface I55 { }
    interface I56 { }
    interface I57 extends I39, I8 { }
    interface I58 { }
    interface I59 { }
    interface I60 extends I28, I39 { }
    interface I61 { }
    interface I62 { }
    interface I63 extends I8 { }
    interface I64 { }
    interface I65 { }
    interface I66 extends I0 { }
    interface I67 { }
    interface I68 { }
    interface I69 extends I26, I27 { }
    interface I70 { }
    interface I71 { }
    interface I72 extends I21 { }
    interface I73 { }
    interface I74 { }
    interface I75 extends I37, I40 { }
    interface I76 { }
    interface I77 { }
    interface I78 extends I25, I69 { }
    interface I79 { }
    static class C0 { }
    static class C1 extends C0 implements I26 { }
    static class C2 extends C1 implements I23, I25 { }
    static class C3 extends C2 implements I2, I38, I49 { }
    static class C4 implements I18, I21, I46, I53 { }
    static class C5 extends C4 { }
    static class C6 extends C5 implements I33 { }
    static class C7 extends C6 implements I42, I8 { }
    static class C8 implements I38, I75, I77 { }
    static class C9 extends C8 implements I0, I43, I76, I8 { }
    static class C10 extends C9 { }
    static class C11 extends C10 implements I39 { }

    static int asked(Object o) {
        int n = 0;
        if (o instanceof I0) n += 1;
        if (o instanceof I1) n += 2;
        if (o instanceof I2) n += 5;
        if (o instanceof I3) n += 10;
        if (o instanceof I4) n += 17;
        if (o instanceof I5) n += 26;
        if (o instanceof I6) n += 37;
        if (o instanceof I7) n += 50;
        if (o instanceof I8) n += 65;
        if (o instanceof I9) n += 82;
        if (o instanceof I10) n += 101;
        if (o instanceof I11) n += 122;
        if (o instanceof I12) n += 145;
        if (o instanceof I13) n += 170;
        if (o instanceof I14) n += 197;
        if (o instanceof I15) n += 226;
        if (o instanceof I16) n += 257;
        if (o instanceof I17) n += 290;
        if (o instanceof I18) n += 325;
        if (o instanceof I19) n += 362;
        if (o instanceof I20) n += 401;
        if (o instanceof I21) n += 442;
        if (o instanceof I22) n += 485;
        if (o instanceof I23) n += 530;
        if (o instanceof I24) n += 577;
        if (o instanceof I25) n += 626;
        if (o instanceof I26) n += 677;
        if (o instanceof I27) n += 730;
        if (o instanceof I28) n += 785;
        if (o instanceof I29) n += 842;
        if (o instanceof I30) n += 901;
        if (o instanceof I31) n += 962;
        if (o instanceof I32) n += 1025;
        if (o instanceof I33) n += 1090;
        if (o instanceof I34) n += 1157;
        if (o instanceof I35) n += 1226;
        if (o instanceof I36) n += 1297;
        if (o instanceof I37) n += 1370;
        if (o instanceof I38) n += 1445;
        if (o instanceof I39) n += 1522;
        if (o instanceof I40) n += 1601;
        if (o instanceof I41) n += 1682;
        if (o instanceof I42) n += 1765;
        if (o instanceof I43) n += 1850;
        if (o instanceof I44) n += 1937;
        if (o instanceof I45) n += 2026;
        if (o instanceof I46) n += 2117;
        if (o instanceof I47) n += 2210;
        if (o instanceof I48) n += 2305;
        if (o instanceof I49) n += 2402;
        if (o instanceof I50) n += 2501;
        if (o instanceof I51) n += 2602;
        if (o instanceof I52) n += 2705;
        if (o instanceof I53) n += 2810;
        if (o instanceof I54) n += 2917;
        if (o instanceof I55) n += 3026;
        if (o instanceof I56) n += 3137;
        if (o instanceof I57) n += 3250;
        if (o instanceof I58) n += 3365;
        if (o instanceof I59) n += 3482;
        if (o instanceof I60) n += 3601;
        if (o instanceof I61) n += 3722;
        if (o instanceof I62) n += 3845;
        if (o instanceof I63) n += 3970;
        if (o instanceof I64) n += 4097;
        if (o instanceof I65) n += 4226;
        if (o instanceof I66) n += 4357;
        if (o instanceof I67) n += 4490;
        if (o instanceof I68) n += 4625;
        if (o instanceof I69) n += 4762;
        if (o instanceof I70) n += 4901;
        if (o instanceof I71) n += 5042;
        if (o instanceof I72) n += 5185;
        if (o instanceof I73) n += 5330;
        if (o instanceof I74) n += 5477;
        if (o instanceof I75) n += 5626;
        if (o instanceof I76) n += 5777;
        if (o instanceof I77) n += 5930;
        if (o instanceof I78) n += 6085;
        if (o instanceof I79) n += 6242;
        if (o instanceof Cloneable) n += 100000;
        if (o instanceof Serializable) n += 200000;
        if (o instanceof Comparable) n += 400000;
        return n;
    }

    static String cast(Object o, int i) {
        try {
            switch (i) {
            case 0: return ((I0) o) == o ? "yes" : "no";
            case 1: return ((I9) o) == o ? "yes" : "no";
            case 2: return ((I18) o) == o ? "yes" : "no";
            case 3: return ((I27) o) == o ? "yes" : "no";
            case 4: return ((I36) o) == o ? "yes" : "no";
            case 5: return ((I45) o) == o ? "yes" : "no";
            case 6: return ((I54) o) == o ? "yes" : "no";
            case 7: return ((I63) o) == o ? "yes" : "no";
            case 8: return ((I72) o) == o ? "yes" : "no";
            default: return ((Comparable<?>) o) == o ? "yes" : "no";
            }
        } catch (ClassCastException e) {
            return e.getClass().getSimpleName();
        }
    }

    public static void main(String[] args) {
        Object[] all = {new C0(), new C1(), new C2(), new C3(), new C4(), new C5(), new C6(), new C7(), new C8(), new C9(), new C10(), new C11(), "text", 1, new int[0], new Object[0], new C5[0], new I20[0][0], new Object()};
        for (int round = 0; round < 4000; round++)
            for (Object o : all) {
                int n = asked(o);
                if (round % 3999 == 0) System.out.println(o.getClass().getSimpleName() + " " + n);
            }
        for (int round = 0; round < 300; round++)
            for (Object o : all)
                for (int i = 0; i < 10; i++) {
                    String text = cast(o, i);
                    if (round == 299) System.out.println(text);
                }
    }
}
