// Field.get and set with every type: widening, rejections, finals, statics, wrong objects, and their messages.
import java.lang.reflect.*;

public class Field_conversions {
    static class F { boolean z = true; byte b = 1; char c = 'c'; short s = 2; int i = 3; long j = 4; float f = 5; double d = 6; String o = "o"; final int fi = 7; static final int SF = 8; static int st = 9; private int p = 10; volatile Object v; final Object fo = "fo"; static final Object SFO = "sfo"; }
    record R(int x) { }
    interface Op { Object run() throws Exception; }
    static String t(Op o) { try { return String.valueOf(o.run()); } catch (Exception e) { return e.getClass().getSimpleName() + ": " + String.valueOf(e.getMessage()).replaceAll("@[0-9a-f]+", "@"); } }

    public static void main(String[] args) throws Exception {
        F x = new F();
        Object[] values = {false, (byte) 11, 'd', (short) 12, 13, 14L, 15f, 16.0, "t", null};
        for (String n : "z b c s i j f d o".split(" ")) {
            Field f = F.class.getDeclaredField(n);
            StringBuilder b = new StringBuilder(n + ":");
            for (Object v : values) b.append(' ').append(t(() -> { f.set(x, v); return f.get(x); }).replaceAll("I\\w+: .*", "-").replaceAll("N\\w+: .*", "N"));
            b.append(" |");
            for (Op o : new Op[]{() -> f.getBoolean(x), () -> f.getByte(x), () -> f.getChar(x), () -> f.getShort(x), () -> f.getInt(x), () -> f.getLong(x), () -> f.getFloat(x), () -> f.getDouble(x)}) b.append(' ').append(t(o).replaceAll("I\\w+: .*", "-"));
            System.out.println(b);
        }
        Field i = F.class.getDeclaredField("i"), fi = F.class.getDeclaredField("fi"), sf = F.class.getDeclaredField("SF"), st = F.class.getDeclaredField("st"), fo = F.class.getDeclaredField("fo"), sfo = F.class.getDeclaredField("SFO"), rx = R.class.getDeclaredField("x"), v = F.class.getDeclaredField("v");
        for (Op o : new Op[]{() -> i.get("wrong"), () -> i.get(null), () -> { i.set("wrong", 1); return 0; }, () -> { i.set(x, "text"); return 0; }, () -> { i.set(x, null); return 0; }, () -> { i.setLong(x, 5L); return 0; }, () -> { fi.set(x, 1); return 0; }, () -> { fi.setAccessible(true); fi.set(x, 70); return fi.get(x) + " " + x.fi; },
            () -> { sf.setAccessible(true); sf.set(null, 1); return 0; }, () -> st.get(null), () -> { st.setInt("ignored", 90); return F.st; }, () -> { fo.setAccessible(true); fo.set(x, "changed"); return x.fo; }, () -> { sfo.setAccessible(true); sfo.set(null, "x"); return 0; }, () -> { rx.setAccessible(true); rx.set(new R(1), 2); return 0; }, () -> rx.get(new R(5)), () -> { v.set(x, x); return v.get(x) == x; }, () -> i.getBoolean(x), () -> F.class.getDeclaredField("p").get(x), () -> String.class.getDeclaredField("value").trySetAccessible(), () -> { String.class.getDeclaredField("value").setAccessible(true); return 0; }, () -> F.class.getField("i"), () -> F.class.getDeclaredField(null)})
            System.out.println(t(o));
        System.out.println(i + " | " + sf.toGenericString() + " | " + v + " | " + Modifier.toString(fo.getModifiers()) + " " + i.equals(F.class.getDeclaredField("i")) + " " + i.hashCode() + " " + fi.isSynthetic() + " " + Thread.State.class.getField("NEW").isEnumConstant());
    }
}
