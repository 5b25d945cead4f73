// ThreadLocal, InheritableThreadLocal, initial values, removal, many locals.
import java.util.*;

public class Local_variables {
    static final ThreadLocal<StringBuilder> LOCAL = ThreadLocal.withInitial(() -> new StringBuilder(Thread.currentThread().getName()));
    static final InheritableThreadLocal<List<String>> INHERITED = new InheritableThreadLocal<>() {
        @Override protected List<String> childValue(List<String> p) { List<String> l = new ArrayList<>(p); l.add("child"); return l; }
    };

    public static void main(String[] args) throws Exception {
        LOCAL.get().append("+main");
        INHERITED.set(new ArrayList<>(List.of("root")));
        List<String> out = Collections.synchronizedList(new ArrayList<>());
        Thread[] ts = new Thread[3];
        for (int i = 0; i < 3; i++) {
            ts[i] = new Thread(() -> {
                for (int k = 0; k < 3; k++) LOCAL.get().append(k);
                out.add(LOCAL.get() + " " + INHERITED.get());
                LOCAL.remove();
                out.add(LOCAL.get().toString());
            }, "t" + i);
            ts[i].start();
        }
        for (Thread t : ts) t.join();
        Collections.sort(out);
        System.out.println(out);
        System.out.println(LOCAL.get() + " " + INHERITED.get());
        ThreadLocal<Integer>[] many = new ThreadLocal[200];
        for (int i = 0; i < many.length; i++) { many[i] = new ThreadLocal<>(); many[i].set(i); }
        int sum = 0;
        for (ThreadLocal<Integer> t : many) sum += t.get();
        for (int i = 0; i < many.length; i += 2) many[i].remove();
        for (ThreadLocal<Integer> t : many) if (t.get() == null) sum++;
        System.out.println(sum);
        System.out.println(java.util.concurrent.ThreadLocalRandom.current().nextInt(5, 6));
    }
}
