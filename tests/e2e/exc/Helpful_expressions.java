// Helpful NullPointerException messages (JEP 358) for many shapes of expressions, and for methods that raise the
// exception themselves.
import java.util.*;
import java.util.function.*;
public class Helpful_expressions {
  int[] a; long[] la; double[][] dd; Helpful_expressions n; String s; Object o; long l; static Helpful_expressions S; static int[][] SA; Helpful_expressions[] na;
  interface R { void run() throws Throwable; }
  static int c=0;
  static void x(R r){ c++; try { r.run(); System.out.println(c+" ok"); } catch (NullPointerException e) { System.out.println(c+" "+e.getMessage()+" @"+e.getStackTrace()[0].getMethodName()); } catch (Throwable t) { System.out.println(c+" "+t); } }
  static StringBuilder nsb(StringBuilder b, Object[] o, String[][] s, int i, long j) { return null; }
  Helpful_expressions self(int i, String s) { return n; }
  static int par(Helpful_expressions p, long q, Helpful_expressions r) { return r.l > q ? p.a[1] : 0; }
  static int parw(Helpful_expressions p) { p = p.n; return p.a[0]; }
  int inst(Helpful_expressions q) { return q.n.n.n.n.n.n.n.a.length; }
  static void loop(Helpful_expressions p) { for (int i = 0; i < 3; i++) { p.l++; p = p.n; } }
  static <T> T id(T t) { return t; }
  enum E { A, B }
  static void many(int a1,int a2,long a3,long a4,double a5,int a6,int a7,int a8,int a9,int a10,long b1,long b2,long b3,long b4,long b5,long b6,long b7,long b8,long b9,long c1,long c2,long c3,long c4,long c5,long c6,long c7,long c8,long c9,long d1,long d2,long d3,long d4,long d5,long d6, String z) { z.length(); String w = z; w = null; w.length(); }
  public static void main(String[] args) throws Throwable {
    Helpful_expressions e = new Helpful_expressions(); Helpful_expressions nul = null; int[][] m = new int[3][]; int i = 1; Helpful_expressions[] arr = new Helpful_expressions[4]; Map<String,Integer> map = new HashMap<>(); List<String> list = new ArrayList<>(); list.add(null);
    x(() -> nsb(null,null,null,1,2).append("x"));
    x(() -> new Helpful_expressions().self(1,"a").self(2, "b"));
    x(() -> par(null, 1, null)); Helpful_expressions big = new Helpful_expressions(); big.l = 5; x(() -> par(null, 1, big)); x(() -> par(new Helpful_expressions(), 1, big));
    x(() -> parw(null)); x(() -> parw(new Helpful_expressions())); x(() -> { Helpful_expressions t = new Helpful_expressions(); t.n = new Helpful_expressions(); parw(t); });
    x(() -> new Helpful_expressions().inst(null)); x(() -> new Helpful_expressions().inst(new Helpful_expressions()));
    x(() -> { Helpful_expressions t = new Helpful_expressions(); t.n = t; t.inst(t); });
    x(() -> loop(new Helpful_expressions())); x(() -> loop(null));
    x(() -> { int k = map.get("a"); }); x(() -> list.get(0).length()); x(() -> id((String) null).length()); x(() -> ((String) e.o).length());
    x(() -> m[2][1] = 5); x(() -> m[i + 1][0]++); x(() -> m[par(new Helpful_expressions(), 5, new Helpful_expressions())][i] += 3); x(() -> SA[0][1] = 2); x(() -> { Object q = e.dd[1][2]; });
    x(() -> e.la[3] = 4L); x(() -> e.la[3]++); x(() -> e.dd[1][2] += 1.5); x(() -> nul.l = 7); x(() -> nul.l += 7); x(() -> S.s = "x"); x(() -> S.n.n = nul);
    x(() -> { synchronized (e.o) { } }); x(() -> { throw (RuntimeException) e.o; });
    x(() -> { String q = null; switch (q) { case "a": break; } }); x(() -> { E q = null; switch (q) { case A: break; } });
    x(() -> { for (String q : (List<String>) null) { } }); x(() -> { for (int q : e.a) { } });
    x(() -> { boolean b = i > 0; (b ? nul : S).self(1, null); }); x(() -> arr[i].na[2].a[0] = 1); x(() -> arr[arr.length - 1].l++); x(() -> e.na[e.a[1]].l++);
    x(() -> { byte[] b = null; b[0] = 1; }); x(() -> { boolean[] b = null; boolean q = b[0]; }); x(() -> { char[] b = null; b[0]++; }); x(() -> { short[] b = null; b[300] = 70; }); x(() -> { float[] b = null; b[-1] = 70; }); x(() -> { float[] b = null; float f = b[100000]; });
    x(() -> { Object q = null; q.hashCode(); }); x(() -> { Supplier<String> q = null; q.get(); }); x(() -> { Integer q = null; Function<Integer,Integer> f = z -> z + 1; f.apply(q); }); x(() -> { IntFunction<Integer> f = z -> null; int r = f.apply(1); });
    x(() -> { ToIntFunction<Integer> f = Integer::intValue; f.applyAsInt(null); }); x(() -> { Function<String,Integer> f = String::length; f.apply(null); }); x(() -> { String q = null; Supplier<Integer> f = q::length; });
    x(() -> Objects.requireNonNull(null)); x(() -> Objects.requireNonNull(null, "msg")); x(() -> { throw new NullPointerException(); }); x(() -> { throw null; });
    x(() -> { Object q = new Object[]{null}; ((Object[]) q)[0].toString(); }); x(() -> nul.new Inner()); x(() -> System.out.println(nul.s.length()));
    x(() -> many(1,2,3,4,5,6,7,8,9,10,1,2,3,4,5,6,7,8,9,1,2,3,4,5,6,7,8,9,1,2,3,4,5,6,null)); x(() -> many(1,2,3,4,5,6,7,8,9,10,1,2,3,4,5,6,7,8,9,1,2,3,4,5,6,7,8,9,1,2,3,4,5,6,"z"));
    x(() -> { Helpful_expressions t; try { t = null; t.l++; } catch (ArithmeticException ex) { t = e; } }); x(() -> { try { throw new RuntimeException(); } catch (RuntimeException ex) { ex.getCause().getMessage(); } });
    x(() -> { Helpful_expressions q = new Helpful_expressions(); q.na = new Helpful_expressions[2]; q.na[1].na[0] = q.na[i]; }); x(() -> { long L = 3; int[][][] q = new int[2][2][]; q[1][(int) L - 2][0] = (int) L; });
    x(() -> { var f = (Callable2) null; f.call(1, "x", null); }); x(() -> { Object r = args.length == 0 ? null : args; r.toString(); }); x(() -> "abc".concat(null)); x(() -> "abc".compareTo(null)); x(() -> String.valueOf((char[]) null)); x(() -> new String((byte[]) null)); x(() -> System.arraycopy(null, 0, args, 0, 0)); x(() -> Integer.class.isAssignableFrom(null)); x(() -> java.lang.reflect.Array.getLength(null)); x(() -> Class.forName(null)); x(() -> new Thread((Runnable) null, null)); x(() -> e.getClass().getMethod(null)); x(() -> ((Object) null).wait(1)); x(() -> ((Object) null).getClass()); x(() -> Math.max(e.a.length, 1)); x(() -> Arrays.fill((int[]) null, 1)); x(() -> Arrays.copyOf((byte[]) null, 1)); x(() -> "x".equals(((String) null).trim()));
    x(() -> { Object[] oa = null; oa[0] = "x"; }); x(() -> nul.toString()); x(() -> { E q = E.valueOf(null); }); x(() -> new StringBuilder((String) null)); x(() -> e.s.chars()); x(() -> { var q = nul; if (q == null && i > 5) q = e; q.a = null; });
    x(() -> java.lang.invoke.MethodHandles.lookup().findVirtual(String.class,"length",java.lang.invoke.MethodType.methodType(int.class)).invoke((String)null)); x(() -> ((java.lang.invoke.MethodHandle)null).invoke()); x(() -> java.lang.invoke.MethodHandles.arrayElementVarHandle(int[].class).get((int[])null, 0)); x(() -> String.class.getMethod("length").invoke(null));
  }
  interface Callable2 { int call(int a, String b, Callable2[] c); }
  class Inner {}
}
