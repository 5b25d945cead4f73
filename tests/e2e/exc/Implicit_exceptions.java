// Exceptions thrown by instructions: class and (except for null pointers) message.
import java.util.*;

public class Implicit_exceptions {
    int f;
    interface Body { Object run() throws Throwable; }

    static void t(String what, Body b) {
        try {
            System.out.println(what + " = " + b.run());
        } catch (NullPointerException e) {
            System.out.println(what + ": NullPointerException");
        } catch (Throwable e) {
            System.out.println(what + ": " + e);
        }
    }

    static Object nul() { return null; }

    public static void main(String[] args) {
        int[] ia = {1, 2, 3};
        int[] in = (int[]) nul();
        Implicit_exceptions on = (Implicit_exceptions) nul();
        Object str = "str";
        int zero = ia.length - 3;
        t("getfield", () -> on.f);
        t("putfield", () -> on.f = 1);
        t("invokevirtual", () -> nul().toString());
        t("invokeinterface", () -> ((Runnable) nul()).hashCode());
        t("arraylength", () -> in.length);
        t("iaload", () -> in[0]);
        t("iastore", () -> in[0] = 5);
        t("athrow", () -> { throw (RuntimeException) nul(); });
        t("monitorenter", () -> { synchronized (nul()) { return 1; } });
        t("unbox", () -> (int) (Integer) nul());
        t("null switch", () -> { switch ((String) nul()) { case "a": return 1; default: return 2; } });
        t("iaload high", () -> ia[3]);
        t("iaload low", () -> ia[-1]);
        t("baload", () -> (new byte[4])[(int) 4L]);
        t("caload", () -> (new char[0])[0]);
        t("caload2", () -> "abc".toCharArray()[7]);
        t("laload", () -> (new long[5])[5]);
        t("dastore", () -> (new double[1])[1] = 2);
        t("aastore", () -> (new Object[2])[2] = "x");
        t("bastore", () -> (new boolean[1])[-7] = true);
        t("idiv", () -> 1 / zero);
        t("irem", () -> 1 % zero);
        t("ldiv", () -> 1L / zero);
        t("lrem", () -> 1L % (long) zero);
        t("ddiv", () -> 1.0 / zero);
        t("drem", () -> 1.0 % zero);
        t("newarray", () -> new int[zero - 1]);
        t("anewarray", () -> new String[zero - 10]);
        t("multianewarray", () -> new String[2][zero - 3][]);
        t("checkcast", () -> (Integer) str);
        t("checkcast array", () -> (int[]) (Object) new String[0]);
        t("checkcast interface", () -> (Runnable) str);
        t("checkcast hidden", () -> ((Comparable<Integer>) (Object) "q").compareTo(5));
        t("checkcast inner", () -> (Map.Entry<?, ?>) (Object) new int[1][1]);
        t("aastore type", () -> ((Object[]) new Integer[1])[0] = "s");
        t("aastore type2", () -> ((Object[]) new Runnable[1])[0] = new Object());
        t("charAt", () -> "abc".charAt(5));
        t("substring", () -> "abc".substring(2, 1));
        t("list", () -> new ArrayList<>(List.of(1)).get(4));
        t("iterator", () -> new ArrayList<>().iterator().next());
        t("optional", () -> Optional.empty().get());
        t("arraycopy", () -> { System.arraycopy(ia, 0, new int[1], 0, 2); return 0; });
        t("enum", () -> Thread.State.valueOf("NOPE"));
        t("requireNonNull", () -> Objects.requireNonNull(nul(), "message"));
        t("clone", () -> new Implicit_exceptions().clone());
        t("monitor state", () -> { new Object().notify(); return 0; });
        t("wait state", () -> { new Object().wait(); return 0; });
        t("wait negative", () -> { synchronized (str) { str.wait(-1); } return 0; });
    }
}
