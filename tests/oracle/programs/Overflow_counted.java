// oracle: self
// StackOverflowError: the depth differs between VMs, so the program counts its calls and prints the counts.
import java.util.*;

public class Overflow_counted {
    static long plain, args, obj, recovered, helper;
    static void plain() { plain++; plain(); }
    static long args(int a, long b, double c, Object d) { args++; return args(a + 1, b + 2, c * 2, d) + 1; }
    long obj(Overflow_counted o) { obj++; return o.obj(this) + 1; }
    static int recovering(int n) {
        recovered++;
        try {
            return recovering(n + 1);
        } catch (StackOverflowError e) {
            if (n % 2 == 0) throw e;
            return n;
        }
    }
    static void help() { helper++; }
    static void run(int k) {
        try {
            switch (k % 4) {
                case 0: plain(); break;
                case 1: args(1, 2, 3, "x"); break;
                case 2: new Overflow_counted().obj(new Overflow_counted()); break;
                default: recovering(0);
            }
        } catch (StackOverflowError e) {
            help();
        }
    }
    public static void main(String[] a) throws Exception {
        for (int i = 0; i < 12; i++) run(i);
        Thread t = new Thread(null, () -> run(0), "small", 400_000);
        t.start();
        t.join();
        System.out.println("count Overflow_counted.plain()V " + plain);
        System.out.println("count Overflow_counted.args(IJDLjava/lang/Object;)J " + args);
        System.out.println("count Overflow_counted.obj(LOverflow_counted;)J " + obj);
        System.out.println("count Overflow_counted.recovering(I)I " + recovered);
        System.out.println("count Overflow_counted.help()V " + helper);
        System.out.println("count Overflow_counted.run(I)V 13");
    }
}
