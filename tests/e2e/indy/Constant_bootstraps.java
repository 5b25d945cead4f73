// ConstantBootstraps, LambdaMetafactory, StringConcatFactory and ObjectMethods called directly.
import java.lang.invoke.*;
import java.util.*;
import java.util.function.*;

public class Constant_bootstraps {
    enum E { P, Q }
    static final int K = 41;
    static String impl(String a, int b) { return a + ":" + b; }
    record R(int a, String b) { }

    public static void main(String[] args) throws Throwable {
        MethodHandles.Lookup l = MethodHandles.lookup();
        System.out.println(ConstantBootstraps.nullConstant(l, "x", String.class) + " " + ConstantBootstraps.primitiveClass(l, "I", Class.class) + " " + ConstantBootstraps.enumConstant(l, "Q", E.class) + " " + ConstantBootstraps.getStaticFinal(l, "K", int.class, Constant_bootstraps.class) + " " + ConstantBootstraps.getStaticFinal(l, "MAX_VALUE", byte.class, Byte.class));
        System.out.println(ConstantBootstraps.invoke(l, "x", String.class, l.findStatic(Constant_bootstraps.class, "impl", MethodType.methodType(String.class, String.class, int.class)), "cb", 5) + " " + ConstantBootstraps.explicitCast(l, "x", int.class, 5.9) + " " + ConstantBootstraps.arrayVarHandle(l, "x", VarHandle.class, int[].class).varType());
        MethodHandle impl = l.findStatic(Constant_bootstraps.class, "impl", MethodType.methodType(String.class, String.class, int.class));
        CallSite cs = LambdaMetafactory.metafactory(l, "apply", MethodType.methodType(IntFunction.class, String.class), MethodType.methodType(Object.class, int.class), impl, MethodType.methodType(String.class, int.class));
        IntFunction<String> f = (IntFunction<String>) cs.getTarget().invoke("made");
        System.out.println(f.apply(9) + " " + f.getClass().isHidden());
        CallSite alt = LambdaMetafactory.altMetafactory(l, "apply", MethodType.methodType(Function.class), MethodType.methodType(Object.class, Object.class), l.findVirtual(String.class, "trim", MethodType.methodType(String.class)), MethodType.methodType(String.class, String.class), LambdaMetafactory.FLAG_MARKERS, 1, Cloneable.class);
        Function<String, String> g = (Function<String, String>) alt.getTarget().invoke();
        System.out.println(g.apply("  t ") + " " + (g instanceof Cloneable));
        CallSite cc = StringConcatFactory.makeConcatWithConstants(l, "c", MethodType.methodType(String.class, int.class, String.class, double.class), "i=\1 s=\1 k=\2 d=\1", "konst");
        System.out.println((String) cc.getTarget().invokeExact(5, "x", 2.5) + " " + (String) StringConcatFactory.makeConcat(l, "c", MethodType.methodType(String.class, char.class, long.class, Object.class)).getTarget().invokeExact('q', 1L << 40, (Object) null));
        try {
            StringConcatFactory.makeConcatWithConstants(l, "c", MethodType.methodType(String.class, int.class), "\1\1");
        } catch (StringConcatException e) {
            System.out.println(e.getMessage());
        }
        CallSite om = (CallSite) java.lang.runtime.ObjectMethods.bootstrap(l, "toString", MethodType.methodType(String.class, R.class), R.class, "a;b", l.findGetter(R.class, "a", int.class), l.findGetter(R.class, "b", String.class));
        System.out.println((String) om.getTarget().invokeExact(new R(1, "two")));
        try {
            LambdaMetafactory.metafactory(l, "apply", MethodType.methodType(IntFunction.class), MethodType.methodType(Object.class, int.class), impl, MethodType.methodType(String.class, int.class));
        } catch (LambdaConversionException e) {
            System.out.println("refused");
        }
        class Counting extends MutableCallSite { int n; Counting(MethodType t) { super(t); } }
        VolatileCallSite v = new VolatileCallSite(MethodHandles.constant(String.class, "one"));
        MethodHandle inv = v.dynamicInvoker();
        String first = (String) inv.invokeExact();
        v.setTarget(MethodHandles.constant(String.class, "two"));
        System.out.println(first + (String) inv.invokeExact());
        SwitchPoint sp = new SwitchPoint();
        MethodHandle guarded = sp.guardWithTest(MethodHandles.constant(int.class, 1), MethodHandles.constant(int.class, 2));
        int before = (int) guarded.invokeExact();
        SwitchPoint.invalidateAll(new SwitchPoint[]{sp});
        System.out.println(before + " " + (int) guarded.invokeExact() + " " + sp.hasBeenInvalidated());
        System.out.println(MethodType.fromMethodDescriptorString("(I[Ljava/lang/String;J)V", null) + " " + MethodType.methodType(int.class, long.class).wrap() + " " + MethodType.genericMethodType(2).changeReturnType(void.class).toMethodDescriptorString() + " " + MethodType.methodType(void.class, Integer.class).unwrap().parameterType(0) + " " + (MethodType.methodType(int.class) == MethodType.methodType(int.class)));
    }
}
