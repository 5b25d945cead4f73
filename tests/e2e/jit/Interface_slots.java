// More interface methods than a vtable has slots, so that some share one; alternating receivers of several classes,
// from several threads.
public final class Interface_slots {
    interface Wide {
        int m0(int x);
        int m1(int x);
        int m2(int x);
        int m3(int x);
        int m4(int x);
        int m5(int x);
        int m6(int x);
        int m7(int x);
        int m8(int x);
        int m9(int x);
        int m10(int x);
        int m11(int x);
        int m12(int x);
        int m13(int x);
        int m14(int x);
        int m15(int x);
        int m16(int x);
        int m17(int x);
        int m18(int x);
        int m19(int x);
        int m20(int x);
        int m21(int x);
        int m22(int x);
        int m23(int x);
        int m24(int x);
        int m25(int x);
        int m26(int x);
        int m27(int x);
        int m28(int x);
        int m29(int x);
        int m30(int x);
        int m31(int x);
        int m32(int x);
        int m33(int x);
        int m34(int x);
        int m35(int x);
        int m36(int x);
        int m37(int x);
        int m38(int x);
        int m39(int x);
    }

    interface Also {
        long n0(long x);
        long n1(long x);
        long n2(long x);
        long n3(long x);
        long n4(long x);
        long n5(long x);
        long n6(long x);
        long n7(long x);
        long n8(long x);
        long n9(long x);
        long n10(long x);
        long n11(long x);
        long n12(long x);
        long n13(long x);
        long n14(long x);
        long n15(long x);
        long n16(long x);
        long n17(long x);
        long n18(long x);
        long n19(long x);
    }

    static final class One implements Wide, Also {
        @Override public int m0(int x) { return x + 0; }
        @Override public int m1(int x) { return x + 1; }
        @Override public int m2(int x) { return x + 2; }
        @Override public int m3(int x) { return x + 3; }
        @Override public int m4(int x) { return x + 4; }
        @Override public int m5(int x) { return x + 5; }
        @Override public int m6(int x) { return x + 6; }
        @Override public int m7(int x) { return x + 7; }
        @Override public int m8(int x) { return x + 8; }
        @Override public int m9(int x) { return x + 9; }
        @Override public int m10(int x) { return x + 10; }
        @Override public int m11(int x) { return x + 11; }
        @Override public int m12(int x) { return x + 12; }
        @Override public int m13(int x) { return x + 13; }
        @Override public int m14(int x) { return x + 14; }
        @Override public int m15(int x) { return x + 15; }
        @Override public int m16(int x) { return x + 16; }
        @Override public int m17(int x) { return x + 17; }
        @Override public int m18(int x) { return x + 18; }
        @Override public int m19(int x) { return x + 19; }
        @Override public int m20(int x) { return x + 20; }
        @Override public int m21(int x) { return x + 21; }
        @Override public int m22(int x) { return x + 22; }
        @Override public int m23(int x) { return x + 23; }
        @Override public int m24(int x) { return x + 24; }
        @Override public int m25(int x) { return x + 25; }
        @Override public int m26(int x) { return x + 26; }
        @Override public int m27(int x) { return x + 27; }
        @Override public int m28(int x) { return x + 28; }
        @Override public int m29(int x) { return x + 29; }
        @Override public int m30(int x) { return x + 30; }
        @Override public int m31(int x) { return x + 31; }
        @Override public int m32(int x) { return x + 32; }
        @Override public int m33(int x) { return x + 33; }
        @Override public int m34(int x) { return x + 34; }
        @Override public int m35(int x) { return x + 35; }
        @Override public int m36(int x) { return x + 36; }
        @Override public int m37(int x) { return x + 37; }
        @Override public int m38(int x) { return x + 38; }
        @Override public int m39(int x) { return x + 39; }
        @Override public long n0(long x) { return x * 1; }
        @Override public long n1(long x) { return x * 2; }
        @Override public long n2(long x) { return x * 3; }
        @Override public long n3(long x) { return x * 4; }
        @Override public long n4(long x) { return x * 5; }
        @Override public long n5(long x) { return x * 6; }
        @Override public long n6(long x) { return x * 7; }
        @Override public long n7(long x) { return x * 8; }
        @Override public long n8(long x) { return x * 9; }
        @Override public long n9(long x) { return x * 10; }
        @Override public long n10(long x) { return x * 11; }
        @Override public long n11(long x) { return x * 12; }
        @Override public long n12(long x) { return x * 13; }
        @Override public long n13(long x) { return x * 14; }
        @Override public long n14(long x) { return x * 15; }
        @Override public long n15(long x) { return x * 16; }
        @Override public long n16(long x) { return x * 17; }
        @Override public long n17(long x) { return x * 18; }
        @Override public long n18(long x) { return x * 19; }
        @Override public long n19(long x) { return x * 20; }
    }

    static final class Two implements Wide, Also {
        @Override public int m0(int x) { return x + 0; }
        @Override public int m1(int x) { return x + 2; }
        @Override public int m2(int x) { return x + 4; }
        @Override public int m3(int x) { return x + 6; }
        @Override public int m4(int x) { return x + 8; }
        @Override public int m5(int x) { return x + 10; }
        @Override public int m6(int x) { return x + 12; }
        @Override public int m7(int x) { return x + 14; }
        @Override public int m8(int x) { return x + 16; }
        @Override public int m9(int x) { return x + 18; }
        @Override public int m10(int x) { return x + 20; }
        @Override public int m11(int x) { return x + 22; }
        @Override public int m12(int x) { return x + 24; }
        @Override public int m13(int x) { return x + 26; }
        @Override public int m14(int x) { return x + 28; }
        @Override public int m15(int x) { return x + 30; }
        @Override public int m16(int x) { return x + 32; }
        @Override public int m17(int x) { return x + 34; }
        @Override public int m18(int x) { return x + 36; }
        @Override public int m19(int x) { return x + 38; }
        @Override public int m20(int x) { return x + 40; }
        @Override public int m21(int x) { return x + 42; }
        @Override public int m22(int x) { return x + 44; }
        @Override public int m23(int x) { return x + 46; }
        @Override public int m24(int x) { return x + 48; }
        @Override public int m25(int x) { return x + 50; }
        @Override public int m26(int x) { return x + 52; }
        @Override public int m27(int x) { return x + 54; }
        @Override public int m28(int x) { return x + 56; }
        @Override public int m29(int x) { return x + 58; }
        @Override public int m30(int x) { return x + 60; }
        @Override public int m31(int x) { return x + 62; }
        @Override public int m32(int x) { return x + 64; }
        @Override public int m33(int x) { return x + 66; }
        @Override public int m34(int x) { return x + 68; }
        @Override public int m35(int x) { return x + 70; }
        @Override public int m36(int x) { return x + 72; }
        @Override public int m37(int x) { return x + 74; }
        @Override public int m38(int x) { return x + 76; }
        @Override public int m39(int x) { return x + 78; }
        @Override public long n0(long x) { return x * 2; }
        @Override public long n1(long x) { return x * 3; }
        @Override public long n2(long x) { return x * 4; }
        @Override public long n3(long x) { return x * 5; }
        @Override public long n4(long x) { return x * 6; }
        @Override public long n5(long x) { return x * 7; }
        @Override public long n6(long x) { return x * 8; }
        @Override public long n7(long x) { return x * 9; }
        @Override public long n8(long x) { return x * 10; }
        @Override public long n9(long x) { return x * 11; }
        @Override public long n10(long x) { return x * 12; }
        @Override public long n11(long x) { return x * 13; }
        @Override public long n12(long x) { return x * 14; }
        @Override public long n13(long x) { return x * 15; }
        @Override public long n14(long x) { return x * 16; }
        @Override public long n15(long x) { return x * 17; }
        @Override public long n16(long x) { return x * 18; }
        @Override public long n17(long x) { return x * 19; }
        @Override public long n18(long x) { return x * 20; }
        @Override public long n19(long x) { return x * 21; }
    }

    static final class Three implements Wide, Also {
        @Override public int m0(int x) { return x + 0; }
        @Override public int m1(int x) { return x + 3; }
        @Override public int m2(int x) { return x + 6; }
        @Override public int m3(int x) { return x + 9; }
        @Override public int m4(int x) { return x + 12; }
        @Override public int m5(int x) { return x + 15; }
        @Override public int m6(int x) { return x + 18; }
        @Override public int m7(int x) { return x + 21; }
        @Override public int m8(int x) { return x + 24; }
        @Override public int m9(int x) { return x + 27; }
        @Override public int m10(int x) { return x + 30; }
        @Override public int m11(int x) { return x + 33; }
        @Override public int m12(int x) { return x + 36; }
        @Override public int m13(int x) { return x + 39; }
        @Override public int m14(int x) { return x + 42; }
        @Override public int m15(int x) { return x + 45; }
        @Override public int m16(int x) { return x + 48; }
        @Override public int m17(int x) { return x + 51; }
        @Override public int m18(int x) { return x + 54; }
        @Override public int m19(int x) { return x + 57; }
        @Override public int m20(int x) { return x + 60; }
        @Override public int m21(int x) { return x + 63; }
        @Override public int m22(int x) { return x + 66; }
        @Override public int m23(int x) { return x + 69; }
        @Override public int m24(int x) { return x + 72; }
        @Override public int m25(int x) { return x + 75; }
        @Override public int m26(int x) { return x + 78; }
        @Override public int m27(int x) { return x + 81; }
        @Override public int m28(int x) { return x + 84; }
        @Override public int m29(int x) { return x + 87; }
        @Override public int m30(int x) { return x + 90; }
        @Override public int m31(int x) { return x + 93; }
        @Override public int m32(int x) { return x + 96; }
        @Override public int m33(int x) { return x + 99; }
        @Override public int m34(int x) { return x + 102; }
        @Override public int m35(int x) { return x + 105; }
        @Override public int m36(int x) { return x + 108; }
        @Override public int m37(int x) { return x + 111; }
        @Override public int m38(int x) { return x + 114; }
        @Override public int m39(int x) { return x + 117; }
        @Override public long n0(long x) { return x * 3; }
        @Override public long n1(long x) { return x * 4; }
        @Override public long n2(long x) { return x * 5; }
        @Override public long n3(long x) { return x * 6; }
        @Override public long n4(long x) { return x * 7; }
        @Override public long n5(long x) { return x * 8; }
        @Override public long n6(long x) { return x * 9; }
        @Override public long n7(long x) { return x * 10; }
        @Override public long n8(long x) { return x * 11; }
        @Override public long n9(long x) { return x * 12; }
        @Override public long n10(long x) { return x * 13; }
        @Override public long n11(long x) { return x * 14; }
        @Override public long n12(long x) { return x * 15; }
        @Override public long n13(long x) { return x * 16; }
        @Override public long n14(long x) { return x * 17; }
        @Override public long n15(long x) { return x * 18; }
        @Override public long n16(long x) { return x * 19; }
        @Override public long n17(long x) { return x * 20; }
        @Override public long n18(long x) { return x * 21; }
        @Override public long n19(long x) { return x * 22; }
    }

    static long turn(Wide w, Also a, int x) {
        long sum = 0;
        sum += w.m0(x);
        sum += w.m1(x);
        sum += w.m2(x);
        sum += w.m3(x);
        sum += w.m4(x);
        sum += w.m5(x);
        sum += w.m6(x);
        sum += w.m7(x);
        sum += w.m8(x);
        sum += w.m9(x);
        sum += w.m10(x);
        sum += w.m11(x);
        sum += w.m12(x);
        sum += w.m13(x);
        sum += w.m14(x);
        sum += w.m15(x);
        sum += w.m16(x);
        sum += w.m17(x);
        sum += w.m18(x);
        sum += w.m19(x);
        sum += w.m20(x);
        sum += w.m21(x);
        sum += w.m22(x);
        sum += w.m23(x);
        sum += w.m24(x);
        sum += w.m25(x);
        sum += w.m26(x);
        sum += w.m27(x);
        sum += w.m28(x);
        sum += w.m29(x);
        sum += w.m30(x);
        sum += w.m31(x);
        sum += w.m32(x);
        sum += w.m33(x);
        sum += w.m34(x);
        sum += w.m35(x);
        sum += w.m36(x);
        sum += w.m37(x);
        sum += w.m38(x);
        sum += w.m39(x);
        sum ^= a.n0(sum);
        sum ^= a.n1(sum);
        sum ^= a.n2(sum);
        sum ^= a.n3(sum);
        sum ^= a.n4(sum);
        sum ^= a.n5(sum);
        sum ^= a.n6(sum);
        sum ^= a.n7(sum);
        sum ^= a.n8(sum);
        sum ^= a.n9(sum);
        sum ^= a.n10(sum);
        sum ^= a.n11(sum);
        sum ^= a.n12(sum);
        sum ^= a.n13(sum);
        sum ^= a.n14(sum);
        sum ^= a.n15(sum);
        sum ^= a.n16(sum);
        sum ^= a.n17(sum);
        sum ^= a.n18(sum);
        sum ^= a.n19(sum);
        return sum;
    }

    static long work() {
        Object[] all = {new One(), new Two(), new Three()};
        long sum = 0;
        for (int i = 0; i < 30_000; i++) {
            Object o = all[i % 3], other = all[i % 2];
            sum = sum * 31 + turn((Wide) o, (Also) other, i);
        }
        return sum;
    }

    public static void main(String[] args) throws Exception {
        long[] sums = new long[4];
        Thread[] threads = new Thread[sums.length];
        for (int i = 0; i < threads.length; i++) {
            int number = i;
            threads[i] = new Thread(() -> sums[number] = work());
            threads[i].start();
        }
        for (Thread t : threads) t.join();
        for (long sum : sums) System.out.println(sum);
    }
}
