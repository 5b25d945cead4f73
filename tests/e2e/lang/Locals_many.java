// Methods with many locals and parameters, wide indexes, iinc beyond a byte, big methods, long jumps.
public class Locals_many {
    static long many(int a, long b, float c, double d, byte e, short f, char g, boolean h, String i, int[] j,
                     long k, double l, int m, int n, int o, long p, int q, int r, int s, long t) {
        return a + b + (long) c + (long) d + e + f + g + (h ? 1 : 0) + i.length() + j[0] + k + (long) l + m + n + o + p + q + r + s + t;
    }

    static int wideLocals() {
        long a0=1,a1=2,a2=3,a3=4,a4=5,a5=6,a6=7,a7=8,a8=9,a9=10,b0=1,b1=2,b2=3,b3=4,b4=5,b5=6,b6=7,b7=8,b8=9,b9=10;
        long c0=1,c1=2,c2=3,c3=4,c4=5,c5=6,c6=7,c7=8,c8=9,c9=10,d0=1,d1=2,d2=3,d3=4,d4=5,d5=6,d6=7,d7=8,d8=9,d9=10;
        long e0=1,e1=2,e2=3,e3=4,e4=5,e5=6,e6=7,e7=8,e8=9,e9=10,f0=1,f1=2,f2=3,f3=4,f4=5,f5=6,f6=7,f7=8,f8=9,f9=10;
        long g0=1,g1=2,g2=3,g3=4,g4=5,g5=6,g6=7,g7=8,g8=9,g9=10,h0=1,h1=2,h2=3,h3=4,h4=5,h5=6,h6=7,h7=8,h8=9,h9=10;
        long i0=1,i1=2,i2=3,i3=4,i4=5,i5=6,i6=7,i7=8,i8=9,i9=10,j0=1,j1=2,j2=3,j3=4,j4=5,j5=6,j6=7,j7=8,j8=9,j9=10;
        long k0=1,k1=2,k2=3,k3=4,k4=5,k5=6,k6=7,k7=8,k8=9,k9=10,l0=1,l1=2,l2=3,l3=4,l4=5,l5=6,l6=7,l7=8,l8=9,l9=10;
        long m0=1,m1=2,m2=3,m3=4,m4=5,m5=6,m6=7,m7=8,m8=9,m9=10;
        int w = 5; float x = 1.5f; double y = 2.5; String z = "wide"; int[] arr = {1, 2, 3};
        for (int q = 0; q < 10; q++) { w += 3; w++; w += 1000; w -= 40000; x += 0.5f; y *= 1.5; arr[q % 3] += q; }
        m9 += w;
        return (int) (a0 + m9 + l5 + k4) + w + (int) x + (int) y + z.length() + arr[0] + arr[1] + arr[2];
    }

    static int bigSwitchy(int n) {
        int acc = n;
        for (int i = 0; i < 40; i++) {
            switch (i) {
                case 0: acc = acc * 3 + 1; break; case 1: acc = acc * 5 + 2; break; case 2: acc = acc * 7 + 3; break;
                case 3: acc ^= 0x5555; break; case 4: acc -= 12345; break; case 5: acc = ~acc; break;
                case 6: acc >>>= 1; break; case 7: acc <<= 1; break; case 8: acc += 99; break; case 9: acc %= 100003; break;
                case 10: if (acc > 0) acc = -acc; else acc = acc - 1; break;
                case 11: acc = acc > 5 ? acc * 2 : acc < -5 ? acc * 3 : acc; break;
                case 12: for (int k = 0; k < 4; k++) acc += k * i; break;
                case 13: while (acc > 1000) acc -= 997; break;
                case 14: do { acc += 101; } while (acc < 0); break;
                default: acc += i * i;
            }
        }
        return acc;
    }

    public static void main(String[] args) {
        System.out.println(many(1, 2, 3, 4, (byte) 5, (short) 6, (char) 7, true, "nine", new int[]{10}, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20));
        System.out.println(wideLocals());
        for (int i = -3; i < 3; i++) System.out.print(bigSwitchy(i * 1000) + " ");
        System.out.println();
        StringBuilder sb = new StringBuilder();
        int v = 3;
        if (v > 2) { if (v > 3) sb.append("a"); else if (v == 3) { sb.append("b"); if (v != 3) sb.append("c"); else sb.append("d"); } } else sb.append("e");
        sb.append(v > 1 && v < 5 || v == 9 ? "yes" : "no").append(!(v > 1) ^ v == 3);
        System.out.println(sb);
    }
}
