// All functions of Math and StrictMath at critical values: zeros, infinities, NaN, subnormals, halves, extremes.
import java.util.*;
import java.util.function.*;

public class Math_corners {
    static final double[] V = {0.0, -0.0, 0.5, -0.5, 0.49999999999999994, 1, -1, 1.5, -1.5, 2.5, -2.5, 1e-310, Double.MIN_VALUE, -Double.MIN_VALUE, Double.MIN_NORMAL, 4503599627370497.5, 9007199254740993.0, 1e300, Double.MAX_VALUE, -Double.MAX_VALUE, Double.POSITIVE_INFINITY, Double.NEGATIVE_INFINITY, Double.NaN, 0x1p63, -0x1p63, 0x1p31, 3.7};
    static void one(String n, DoubleUnaryOperator f) { StringBuilder b = new StringBuilder(n + ":"); for (double v : V) b.append(' ').append(f.applyAsDouble(v)); System.out.println(b); }
    static void two(String n, DoubleBinaryOperator f) { long h = 17; for (double v : V) for (double w : V) { double r = f.applyAsDouble(v, w); h = h * 31 + (r != r ? 7 : Double.doubleToRawLongBits(r)); } System.out.println(n + " " + Long.toHexString(h)); }

    public static void main(String[] args) {
        one("floor", Math::floor); one("ceil", Math::ceil); one("rint", Math::rint); one("round", Math::round); one("abs", Math::abs); one("sqrt", Math::sqrt); one("signum", Math::signum); one("ulp", Math::ulp); one("nextUp", Math::nextUp); one("nextDown", Math::nextDown); one("exponent", v -> Math.getExponent(v)); one("toInt", v -> (int) v); one("toLong", v -> (long) v); one("toFloat", v -> (float) v); one("toShort", v -> (short) v); one("toChar", v -> (char) v); one("roundf", v -> Math.round((float) v)); one("cbrt", StrictMath::cbrt); one("degrees", Math::toDegrees); one("radians", Math::toRadians); one("sin", StrictMath::sin); one("tan", StrictMath::tan); one("asin", StrictMath::asin); one("acos", StrictMath::acos); one("atan", StrictMath::atan); one("exp", StrictMath::exp); one("expm1", StrictMath::expm1); one("log", StrictMath::log); one("log1p", StrictMath::log1p); one("log10", StrictMath::log10); one("sinh", StrictMath::sinh); one("tanh", StrictMath::tanh);
        two("min", Math::min); two("max", Math::max); two("rem", (a, b) -> a % b); two("IEEE", Math::IEEEremainder); two("copySign", StrictMath::copySign); two("nextAfter", Math::nextAfter); two("hypot", StrictMath::hypot); two("atan2", StrictMath::atan2); two("pow", StrictMath::pow); two("fma", (a, b) -> Math.fma(a, b, 1.5)); two("add", (a, b) -> a + b); two("mul", (a, b) -> a * b); two("div", (a, b) -> a / b); two("cmp", (a, b) -> Double.compare(a, b)); two("fmin", (a, b) -> Math.min((float) a, (float) b)); two("frem", (a, b) -> (float) a % (float) b); two("lt", (a, b) -> (a < b ? 1 : 0) + (a <= b ? 2 : 0) + (a > b ? 4 : 0) + (a >= b ? 8 : 0) + (a == b ? 16 : 0) + (a != b ? 32 : 0));
        for (int e : new int[]{-2000, -1074, -1023, -1, 0, 1, 1023, 2000}) System.out.print(Math.scalb(1.5, e) + " " + Math.scalb(-0x1.8p-1022, e) + " " + Math.scalb(1.5f, e) + "; ");
        System.out.println();
        for (int a : new int[]{7, -7, 0, Integer.MIN_VALUE, Integer.MAX_VALUE}) for (int b : new int[]{3, -3, -1, Integer.MIN_VALUE}) System.out.print(Math.floorDiv(a, b) + "," + Math.floorMod(a, b) + "," + Math.floorMod((long) a, b) + "," + Math.multiplyHigh(a * 0x100000001L, b * 0x100000001L) + " ");
        System.out.println();
        Runnable[] exact = {() -> Math.addExact(Integer.MAX_VALUE, 1), () -> Math.multiplyExact(Long.MAX_VALUE, 2), () -> Math.negateExact(Integer.MIN_VALUE), () -> Math.toIntExact(1L << 31), () -> Math.absExact(Long.MIN_VALUE), () -> Math.incrementExact(Long.MAX_VALUE), () -> Math.decrementExact(Integer.MIN_VALUE), () -> Math.subtractExact(Long.MIN_VALUE, 1L), () -> Math.floorDiv(1, 0), () -> Math.multiplyExact(1L << 40, 1 << 30)};
        for (Runnable r : exact) try { r.run(); System.out.print("fine; "); } catch (ArithmeticException e) { System.out.print(e.getMessage() + "; "); }
        System.out.println();
    }
}
