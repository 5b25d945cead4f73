package dump;

import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.lang.management.ManagementFactory;
import java.util.ArrayList;
import java.util.List;
import javax.management.MBeanServerConnection;

/** A known graph of objects, which tests/run/heapdump.py looks for in a heap dump. */
public class Graph {
    static class Base {
        byte b = -7;
        long l = 0x123456789abcdefL;
        String name = "in the superclass";
    }

    static class Fields extends Base {
        boolean z = true;
        char c = '\u20ac';
        short s = -1234;
        int i = 123456789;
        float f = 1.5f;
        double d = -2.25;
        String name = "in the class";
        Object self = this, none = null;
        Object[][] table = {{"a string", this}, null, {}};
        boolean[] booleans = {true, false};
        byte[] bytes = {1, -2, 3};
        char[] chars = {'x', '\u00e9'};
        short[] shorts = {-1, 300};
        int[] ints = {1, -2, 1 << 30};
        long[] longs = {-1L, 1L << 40};
        float[] floats = {0.5f, -0.0f};
        double[] doubles = {Math.PI};
        int[][] nested = {{7}, {8, 9}};
    }

    static class Statics {
        static boolean z = true;
        static byte b = -1;
        static char c = 'q';
        static short s = 12;
        static int i = 42;
        static long l = -5;
        static float f = 0.25f;
        static double d = 1e100;
        static String text = "a static";
        static Object none;
        static final Fields fields = new Fields();
    }

    interface Constants {
        Object CONSTANT = new Object[] {"of an interface"};
    }

    static final class InLocal { int value = 1; }
    static final class InCompiled { int value = 2; }
    static final class InGlobal { int value = 3; }
    static final class Locked { int value = 4; }
    static final class Garbage { int value = 5; }
    static final class Node { Node next; int value; }

    static Node list;
    static List<byte[]> large = new ArrayList<>();
    static volatile boolean ending;
    static volatile int ready;

    static native void keep(Object o);

    static void holder() {
        InLocal local = new InLocal();
        Locked locked = new Locked();
        synchronized (locked) {
            ready++;
            while (!ending)
                try { locked.wait(); } catch (InterruptedException e) { break; }
        }
        if (local.value != 1) throw new AssertionError();
    }

    static int busy(InCompiled o, int[] work) {
        int sum = 0;
        for (int n = 0; !ending; n = n + 1 & Integer.MAX_VALUE) {
            work[n % work.length] += n;
            sum += work[n / 3 % work.length] + new int[3].length;
            if (n == 200_000) ready++;
        }
        return sum + o.value;
    }

    static void start(String name, Runnable body) {
        Thread t = new Thread(body, name);
        t.setDaemon(true);
        t.start();
    }

    public static void main(String[] args) throws Exception {
        int nodes = args.length > 1 ? Integer.parseInt(args[0]) : 1000, arrays = args.length > 1 ? Integer.parseInt(args[1]) : 3;
        System.loadLibrary("keep");
        keep(new InGlobal());
        Statics.i = 42;
        Object constant = Constants.CONSTANT;
        for (int i = 0; i < 1000; i++) new Garbage();
        for (int i = 0; i < nodes; i++) {
            Node n = new Node();
            n.next = list;
            n.value = i;
            list = n;
        }
        for (int i = 0; i < arrays; i++) large.add(new byte[(1 << 20) + (i & 1) * (1 << 20)]);
        start("holder", Graph::holder);
        start("busy", () -> busy(new InCompiled(), new int[100]));
        while (ready < 2) Thread.sleep(5);
        System.out.println("ready");
        BufferedReader in = new BufferedReader(new InputStreamReader(System.in));
        for (String line; (line = in.readLine()) != null;) {
            String answer = "done";
            try {
                if (line.equals("fill")) for (List<byte[]> l = new ArrayList<>();;) l.add(new byte[100_000]);
                MBeanServerConnection s = ManagementFactory.getPlatformMBeanServer();
                ManagementFactory.newPlatformMXBeanProxy(s, "com.sun.management:type=HotSpotDiagnostic",
                    com.sun.management.HotSpotDiagnosticMXBean.class).dumpHeap(line, true);
            } catch (Throwable t) {
                answer = t.toString();
            }
            System.out.println(answer);
        }
        ending = true;
        if (constant == null) throw new AssertionError();
    }
}
