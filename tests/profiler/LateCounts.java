/** Exact counting that starts, pauses and resumes in the middle of loops: LateCounts PROFILE ROUNDS. */
public final class LateCounts {
    static int x;
    static String profile;
    static int fib(int n) { return n < 2 ? n : fib(n-1) + fib(n-2); }
    interface Shape { int area(int k); }
    static class A implements Shape { int s = 3; public int area(int k) { return s * k; } }
    static class B implements Shape { int s = 4; public int area(int k) { return s + k; } }
    static class C implements Shape { int s = 5; public int area(int k) { if (k % 7 == 0) throw new RuntimeException(); return s - k; } }
    static int work(int n) {
        Shape[] a = {new A(), new B(), new C()};
        int sum = 0;
        for (int i = 0; i < n; i++) {
            try { sum += a[i % 3].area(i); } catch (RuntimeException e) { sum++; }
            switch (i & 3) { case 0: x++; break; case 1: x += 2; break; default: sum ^= x; }
        }
        return sum;
    }
    static int loop(int n) throws Exception {
        int s = 0;
        for (int i = 0; i < n; i++) {
            s += work(50);
            if (i == n / 4) cabernet.Profile.start(profile);
            if (i == n / 2) cabernet.Profile.stop();
            if (i == n / 2 + 100) cabernet.Profile.start();
            s += fib(5);
        }
        return s;
    }
    public static void main(String[] a) throws Exception {
        profile = a[0];
        System.out.println(loop(Integer.parseInt(a[1])));
    }
}
