// Enums: bodies, constructors, switches, EnumMap order, valueOf errors, interfaces, statics, comparison, reflection.
import java.util.*;
import java.util.function.*;

public class Enum_machinery {
    interface Named { String label(); }
    enum Planet implements Named, DoubleUnaryOperator {
        EARTH(5.97e24) { public String label() { return "home"; } }, MARS(6.4e23), X(0) { @Override public double applyAsDouble(double d) { throw new UnsupportedOperationException(name()); } };
        static final Map<String, Planet> BY = new TreeMap<>();
        static { for (Planet p : values()) BY.put(p.label(), p); }
        private final double mass;
        Planet(double m) { mass = m; }
        public String label() { return name().toLowerCase(); }
        public double applyAsDouble(double d) { return d * mass; }
    }
    enum Empty { }
    enum Big { A0, A1, A2, A3, A4, A5, A6, A7, A8, A9, B0, B1, B2, B3, B4, B5, B6, B7, B8, B9, C0, C1, C2, C3, C4, C5, C6, C7, C8, C9, D0, D1, D2, D3, D4, D5, D6, D7, D8, D9, E0, E1, E2, E3, E4, E5, E6, E7, E8, E9, F0, F1, F2, F3, F4, F5, F6, F7, F8, F9, G0, G1, G2, G3, G4, G5, G6, G7, G8, G9 }
    static String sw(Planet p) { switch (p) { case MARS: return "red"; case EARTH: return "blue"; } return "unknown"; }
    static int ex(Planet p) { return switch (p) { case EARTH, MARS -> { int k = p.ordinal(); yield k * 10; } case X -> throw new IllegalStateException("x"); }; }
    static void t(String what, Supplier<Object> s) { try { System.out.println(what + ": " + s.get()); } catch (RuntimeException e) { System.out.println(what + ": " + e.getClass().getSimpleName() + " " + e.getMessage()); } }

    public static void main(String[] args) {
        t("values", () -> Arrays.toString(Planet.values()) + (Planet.values() == Planet.values()) + Empty.values().length + Planet.BY);
        t("valueOf", () -> Planet.valueOf("MARS") + " " + Enum.valueOf(Planet.class, "X"));
        t("valueOf none", () -> Planet.valueOf("PLUTO"));
        t("valueOf null", () -> Planet.valueOf(null));
        t("classes", () -> Planet.EARTH.getClass() + " " + Planet.EARTH.getDeclaringClass() + " " + Planet.MARS.getClass() + " " + Planet.EARTH.getClass().isEnum() + Planet.class.isEnum() + " " + Planet.EARTH.getClass().getEnumConstants() + " " + Planet.class.getEnumConstants().length);
        t("switch", () -> sw(Planet.EARTH) + sw(Planet.X) + ex(Planet.MARS));
        t("switch null", () -> sw(null));
        t("switch throws", () -> ex(Planet.X));
        t("bodies", () -> Planet.EARTH.label() + Planet.MARS.label() + Planet.MARS.applyAsDouble(2));
        t("body throws", () -> Planet.X.applyAsDouble(1));
        t("maps", () -> { EnumMap<Planet, Integer> m = new EnumMap<>(Planet.class); m.put(Planet.X, 1); m.put(Planet.EARTH, null); return m + " " + m.containsKey(Planet.MARS) + m.get("no"); });
        t("map null", () -> new EnumMap<Planet, Integer>(Planet.class).put(null, 1));
        t("sets", () -> EnumSet.complementOf(EnumSet.of(Planet.MARS)) + " " + EnumSet.range(Planet.EARTH, Planet.MARS) + " " + EnumSet.noneOf(Empty.class));
        t("big sets", () -> { EnumSet<Big> s = EnumSet.range(Big.F8, Big.G3); s.add(Big.A0); s.removeAll(EnumSet.of(Big.G0)); EnumSet<Big> c = EnumSet.complementOf(s); return s + " " + c.size() + c.contains(Big.G0) + s.containsAll(EnumSet.of(Big.A0, Big.G1)); });
        t("range wrong", () -> EnumSet.range(Planet.X, Planet.EARTH));
        t("compare", () -> Planet.EARTH.compareTo(Planet.X) + " " + Planet.MARS.equals(Planet.valueOf("MARS")) + " " + new TreeSet<>(List.of(Planet.X, Planet.EARTH)));
        t("raw compare", () -> ((Comparable) Planet.EARTH).compareTo(Big.A0));
        t("reflection", () -> { try { var c = Planet.class.getDeclaredConstructors()[0]; c.setAccessible(true); return c.newInstance("N", 9, 1.0); } catch (ReflectiveOperationException e) { return e; } });
        t("describe", () -> Planet.MARS.describeConstable().get() + " " + Planet.MARS.ordinal());
    }
}
