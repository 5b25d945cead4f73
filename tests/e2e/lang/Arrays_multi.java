// Arrays of all kinds: multi-dimensional, ragged, zero length, clone, bounds, defaults.
import java.util.Arrays;

public class Arrays_multi {
    static String tryGet(int[] a, int i) {
        try {
            return "" + a[i];
        } catch (ArrayIndexOutOfBoundsException e) {
            return e.getMessage();
        }
    }

    public static void main(String[] args) {
        boolean[] z = new boolean[3]; byte[] b = new byte[3]; char[] c = new char[3]; short[] s = new short[3];
        int[] i = new int[3]; long[] l = new long[3]; float[] f = new float[3]; double[] d = new double[3]; Object[] o = new Object[3];
        z[1] = true; b[1] = (byte) 0x1ff; c[1] = (char) 0x1ffff; s[1] = (short) 0x18000; i[1] = -1; l[1] = -1L; f[1] = 1.5f; d[1] = -0.0; o[1] = i;
        System.out.println(Arrays.toString(z) + Arrays.toString(b) + (int) c[1] + Arrays.toString(s) + Arrays.toString(i) + Arrays.toString(l) + Arrays.toString(f) + Arrays.toString(d) + (o[1] == i));
        int[][][] cube = new int[2][3][4];
        int n = 0;
        for (int[][] p : cube) for (int[] r : p) for (int k = 0; k < r.length; k++) r[k] = n++;
        System.out.println(Arrays.deepToString(cube));
        int[][] ragged = new int[3][];
        System.out.println(ragged[0] + " " + ragged.getClass().getName());
        for (int k = 0; k < 3; k++) ragged[k] = new int[k];
        System.out.println(Arrays.deepToString(ragged));
        long[][][] partial = new long[2][2][];
        System.out.println(partial[1].length + " " + partial[1][1]);
        String[][] none = new String[0][5];
        System.out.println(none.length + " " + new int[5][0][9][2].length);
        System.out.println(tryGet(i, 3) + "; " + tryGet(i, -1) + "; " + tryGet(new int[0], 0) + "; " + tryGet(i, Integer.MIN_VALUE));
        int[] cl = i.clone();
        cl[0] = 99;
        int[][] deep = {{1, 2}, {3}};
        int[][] shallow = deep.clone();
        shallow[0][0] = 50;
        shallow[1] = null;
        System.out.println(i[0] + " " + cl[0] + " " + deep[0][0] + " " + deep[1][0]);
        try {
            int neg = -5;
            int[] bad = new int[neg];
        } catch (NegativeArraySizeException e) {
            System.out.println("NASE " + e.getMessage());
        }
        try {
            int neg = -2;
            int[][][] bad = new int[3][neg][1];
        } catch (NegativeArraySizeException e) {
            System.out.println("NASE " + e.getMessage());
        }
        try {
            int[][] bad = new int[0][-1];
            System.out.println("no");
        } catch (NegativeArraySizeException e) {
            System.out.println("NASE " + e.getMessage());
        }
        byte[] packed = new byte[1000];
        for (int k = 0; k < packed.length; k++) packed[k] = (byte) (k * 7);
        int sum = 0;
        for (byte x : packed) sum += x;
        boolean[] sieve = new boolean[2000];
        int primes = 0;
        for (int k = 2; k < sieve.length; k++) {
            if (sieve[k]) continue;
            primes++;
            for (int m = k * 2; m < sieve.length; m += k) sieve[m] = true;
        }
        System.out.println(sum + " " + primes);
        i[0] = 5;
        i[i[0] - 4] = i[0]++ * 2;
        System.out.println(i[0] + " " + i[1]);
        l[2] += 5; l[2] <<= 33; d[2] -= 1; f[2]++; c[2] += 'x'; s[2] -= 1; b[2] ^= 0x55; z[2] |= true;
        System.out.println(l[2] + " " + d[2] + " " + f[2] + " " + c[2] + " " + s[2] + " " + b[2] + " " + z[2]);
        System.out.println(int[].class.getSuperclass() + " " + Arrays.toString(int[].class.getInterfaces()) + " " + int[][].class.getComponentType());
    }
}
