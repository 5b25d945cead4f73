// Concatenation of every type of operand, with nulls, char arrays, many operands, += and side effects.
public class Strings_concatKinds {
    static class T { public String toString() { return "T!"; } }
    static class N { public String toString() { return null; } }
    static int n;
    static String next() { return "n" + n++; }

    public static void main(String[] args) {
        boolean z = true; byte b = -1; short s = -2; char c = 'c'; int i = 4; long l = 5L << 40; float f = 1.1f; double d = 1e-10;
        String str = null; Object o = null; Integer boxed = null;
        System.out.println("" + z + b + s + c + i + l + f + d + str + o + boxed + new T() + new N());
        System.out.println(c + i + "x" + c + i);
        System.out.println(i + l + "" + i + l + (i + l));
        String acc = "";
        for (int k = 0; k < 10; k++) acc += k + ",";
        System.out.println(acc);
        acc += 'x' + 1;
        acc += z ? 1 : 'c';
        System.out.println(acc);
        char[] cs = {'a'};
        String t = "pre";
        t += t += "mid" + t;
        System.out.println(t);
        String[] arr = {"a"};
        int k = 0;
        arr[k++] += "b" + k;
        System.out.println(arr[0] + k);
        System.out.println(next() + next() + next() + n);
        System.out.println("\u4e2d" + c + "\u00e9" + i + "\ud83d\ude00" + str);
        System.out.println(("a" + '\1' + "\2" + i + "\1" + "\2").length());
        String many = i + " " + i + " " + l + " " + d + " " + z + " " + c + " " + i + " " + i + " " + l + " " + d + " " + z + " " + c + " " + i + " " + i + " " + l + " " + d + " " + z + " " + c
            + " " + i + " " + i + " " + l + " " + d + " " + z + " " + c + " " + i + " " + i + " " + l + " " + d + " " + z + " " + c + " " + i + " " + i + " " + l + " " + d + " " + z + " " + c;
        System.out.println(many.length() + " " + many.hashCode());
        System.out.println(Float.MIN_VALUE + " " + Double.MAX_VALUE + " " + (0.0f / 0) + " " + (1 / 0.0) + " " + -0.0);
        Object os = "obj";
        os += "ect";
        System.out.println(os);
        final String k1 = "k", k2 = k1 + 1;
        System.out.println(k2 == "k1");
        StringBuilder sb = new StringBuilder("sb");
        System.out.println("" + sb + sb.length() + cs.length);
    }
}
