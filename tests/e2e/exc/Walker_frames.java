// StackWalker: frames, skipping, caller class, reflection frames, limits; Thread.getStackTrace.
import java.util.*;
import java.util.stream.Collectors;

public class Walker_frames {
    static List<String> walk() {
        return StackWalker.getInstance().walk(s -> s.map(f -> f.getMethodName() + ":" + f.getLineNumber()).collect(Collectors.toList()));
    }
    static List<String> deep(int n) { return n == 0 ? walk() : deep(n - 1); }
    static Class<?> caller() { return StackWalker.getInstance(StackWalker.Option.RETAIN_CLASS_REFERENCE).getCallerClass(); }
    static class Other { static Class<?> ask() { return caller(); } }
    public static List<String> viaReflection() { return walk(); }

    public static void main(String[] args) throws Exception {
        System.out.println(walk());
        System.out.println(deep(3));
        System.out.println(caller() + " " + Other.ask());
        System.out.println(Walker_frames.class.getMethod("viaReflection").invoke(null));
        System.out.println(StackWalker.getInstance(StackWalker.Option.SHOW_REFLECT_FRAMES).walk(s -> s.limit(1).findFirst()).get().getMethodName());
        StackWalker.StackFrame f = StackWalker.getInstance(Set.of(StackWalker.Option.RETAIN_CLASS_REFERENCE)).walk(s -> s.findFirst()).get();
        System.out.println(f.getClassName() + " " + f.getDeclaringClass() + " " + f.getFileName() + " " + f.getMethodType() + " " + f.getDescriptor() + " " + f.isNativeMethod() + " " + (f.getByteCodeIndex() > 0) + " " + f.toStackTraceElement().getLineNumber());
        try {
            StackWalker.getInstance().walk(s -> f.getClass()).toString();
            StackWalker.getInstance().getCallerClass();
        } catch (UnsupportedOperationException e) {
            System.out.println(e.getMessage());
        }
        StackTraceElement[] own = Thread.currentThread().getStackTrace();
        System.out.println(own[0].getMethodName() + " " + own[1].getMethodName() + " " + own.length);
        int[] count = {0};
        new Object() { void rec(int n) { if (n == 0) StackWalker.getInstance().forEach(x -> count[0]++); else rec(n - 1); } }.rec(200);
        System.out.println(count[0]);
        List<String> lam = new ArrayList<>();
        Runnable r = () -> lam.addAll(walk());
        r.run();
        System.out.println(lam.size() + " " + lam.get(1).replaceAll("[0-9]+", "#"));
        Throwable[] t = {null};
        new Object() { void rec(int n) { if (n == 0) t[0] = new Throwable(); else rec(n - 1); } }.rec(1500);
        System.out.println(t[0].getStackTrace().length + " " + t[0].getStackTrace()[1023].getMethodName());
    }
}
