// StackWalker: options, class references, caller class, reflective and hidden frames, laziness, depth, method types.
import java.lang.StackWalker.*;
import java.lang.reflect.Method;
import java.util.*;
import java.util.function.Supplier;
import java.util.stream.*;

public class Stack_walker {
    static String names(StackWalker w) { return w.walk(s -> s.filter(f -> f.getClassName().startsWith("Stack_walker")).map(f -> f.getMethodName().replaceAll("lambda\\$(\\w+)\\$\\d+", "lambda-$1")).collect(Collectors.toList())).toString(); }
    static class Caller { static Class<?> who() { return StackWalker.getInstance(Option.RETAIN_CLASS_REFERENCE).getCallerClass(); } }
    static int deep(int n, StackWalker w) { return n == 0 ? w.walk(s -> (int) s.filter(f -> f.getMethodName().equals("deep")).count()) : deep(n - 1, w); }
    public static String viaReflection() { return names(StackWalker.getInstance()); }
    public static String viaReflectionAll() { return StackWalker.getInstance(Set.of(Option.SHOW_REFLECT_FRAMES)).walk(s -> s.map(StackFrame::getMethodName).filter(n -> n.equals("invoke") || n.startsWith("viaR")).distinct().collect(Collectors.toList())).toString(); }

    public static void main(String[] args) throws Exception {
        StackWalker plain = StackWalker.getInstance(), retain = StackWalker.getInstance(Option.RETAIN_CLASS_REFERENCE);
        System.out.println(names(plain));
        Supplier<String> s = () -> names(plain);
        System.out.println(s.get());
        System.out.println(new Object() { String run() { return names(plain); } }.run());
        System.out.println(Caller.who() + " " + ((Supplier<Class<?>>) () -> Caller.who()).get());
        Method m = Stack_walker.class.getMethod("viaReflection");
        System.out.println(m.invoke(null));
        System.out.println(Stack_walker.class.getMethod("viaReflectionAll").invoke(null));
        System.out.println(deep(10, plain) + " " + deep(2000, plain));
        StackFrame f = retain.walk(x -> x.findFirst().get());
        System.out.println(f.getDeclaringClass() + " " + f.getMethodType() + " " + f.getDescriptor() + " " + f.isNativeMethod() + " " + f.getFileName() + " " + (f.getLineNumber() > 20) + " " + (f.getByteCodeIndex() > 0) + " " + f.toStackTraceElement().toString().replaceAll(":\\d+", ""));
        StackFrame g = plain.walk(x -> x.findFirst().get());
        try { g.getDeclaringClass(); } catch (UnsupportedOperationException e) { System.out.println(e.getMessage()); }
        try { plain.getCallerClass(); } catch (UnsupportedOperationException e) { System.out.println(e.getMessage()); }
        try { retain.getCallerClass(); } catch (IllegalCallerException e) { System.out.println(e.getMessage()); }
        Stream<StackFrame>[] leak = new Stream[1];
        plain.walk(x -> leak[0] = x);
        try { leak[0].count(); } catch (IllegalStateException e) { System.out.println("stream is over"); }
        System.out.println(plain.walk(x -> x.skip(5).findFirst()).isPresent());
        System.out.println("" + StackWalker.getInstance(Set.of(Option.SHOW_HIDDEN_FRAMES), 3).walk(x -> x.limit(1).map(StackFrame::getMethodName).collect(Collectors.toList())));
        Thread t = new Thread(() -> System.out.println("" + plain.walk(x -> x.map(StackFrame::getMethodName).map(n -> n.replaceAll("\\$\\d+", "")).collect(Collectors.toList()))));
        t.start();
        t.join();
        int[] n = {0};
        plain.forEach(x -> n[0]++);
        System.out.println(n[0]);
        List<String> order = Stream.of(3, 1, 2).sorted(Comparator.comparing(k -> { if (k == 1) n[0] = plain.walk(x -> (int) x.filter(y -> y.getClassName().startsWith("java.util")).count()); return k; })).map(String::valueOf).collect(Collectors.toList());
        System.out.println(order + " " + (n[0] > 3));
    }
}
