// Interface calls over many receivers: megamorphic sites, interfaces with many methods, inherited ones.
import java.util.*;

public class Interface_dispatchMany {
    interface A { int a(); default int twice() { return a() * 2; } }
    interface B { int b(); }
    interface C extends A, B { int c(); }
    interface Big {
        int m0(int x); int m1(int x); int m2(int x); int m3(int x); int m4(int x); int m5(int x); int m6(int x); int m7(int x);
    }
    static class K0 implements C { public int a() { return 1; } public int b() { return 2; } public int c() { return 3; } }
    static class K1 extends K0 { @Override public int a() { return 10; } }
    static class K2 extends K1 implements B { @Override public int b() { return 20; } @Override public int twice() { return -1; } }
    static class K3 implements B, A { public int a() { return 7; } public int b() { return 8; } }
    static class K4 extends K3 implements C { public int c() { return 9; } }
    static class M implements Big {
        public int m0(int x) { return x; } public int m1(int x) { return x + 1; } public int m2(int x) { return x * 2; } public int m3(int x) { return x - 3; }
        public int m4(int x) { return x ^ 4; } public int m5(int x) { return x | 5; } public int m6(int x) { return x & 6; } public int m7(int x) { return -x; }
    }
    static class N extends M { @Override public int m3(int x) { return 1000 + x; } @Override public int m7(int x) { return super.m7(x) * 2; } }

    static int callA(A a) { return a.a() + a.twice(); }
    static int callB(B b) { return b.b(); }

    public static void main(String[] args) {
        A[] as = {new K0(), new K1(), new K2(), new K3(), new K4(), () -> 100, new A() { public int a() { return 50; } }};
        int total = 0;
        for (int round = 0; round < 300; round++) {
            for (A a : as) {
                total += callA(a);
                if (a instanceof B b) total += callB(b) * 3;
                if (a instanceof C c) total += c.c() + c.a() + c.b() + c.twice();
                total %= 1000003;
            }
        }
        System.out.println(total);
        Big[] bigs = {new M(), new N()};
        int acc = 1;
        for (int i = 0; i < 500; i++) {
            Big g = bigs[i & 1];
            acc = g.m0(acc) + g.m1(acc) - g.m2(i) + g.m3(acc) ^ g.m4(acc) + g.m5(i) + g.m6(acc) + g.m7(acc);
        }
        System.out.println(acc);
        List<Collection<Integer>> cs = List.of(new ArrayList<>(), new LinkedList<>(), new HashSet<>(), new TreeSet<>(), new ArrayDeque<>(), new PriorityQueue<>(), new Vector<>());
        int sum = 0;
        for (int i = 0; i < 50; i++) for (Collection<Integer> c : cs) { c.add(i % 13); sum += c.size(); }
        for (Collection<Integer> c : cs) sum += c.iterator().next() + (c.contains(12) ? 1 : 0);
        System.out.println(sum);
        CharSequence[] seqs = {"string", new StringBuilder("builder"), new StringBuffer("buffer"), java.nio.CharBuffer.wrap("chars")};
        for (CharSequence s : seqs) System.out.print(s.charAt(2) + "" + s.length() + s.subSequence(1, 3) + " ");
        System.out.println();
    }
}
