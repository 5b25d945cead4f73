// Dense, sparse, negative and extreme integer switches; fall-through; default in the middle.
public class Switch_ints {
    static String dense(int x) {
        switch (x) {
            case 0: return "zero";
            case 1: return "one";
            case 2: return "two";
            case 3: return "three";
            case 5: return "five";
            default: return "other";
        }
    }

    static String sparse(int x) {
        switch (x) {
            case Integer.MIN_VALUE: return "min";
            case -1000000: return "minus a million";
            case -1: return "minus one";
            case 77777: return "77777";
            case Integer.MAX_VALUE: return "max";
            default: return "none";
        }
    }

    static int fallThrough(int x) {
        int r = 0;
        switch (x) {
            case 1: r += 1;
            case 2: r += 10;
            default: r += 100;
            case 3: r += 1000; break;
            case 4: r += 10000;
        }
        return r;
    }

    static int chars(char c) {
        switch (c) {
            case 'a': case 'e': case 'i': case 'o': case 'u': return 1;
            case '\uffff': return 2;
            case '\0': return 3;
        }
        return 0;
    }

    static int bytes(byte b) {
        switch (b) {
            case -128: return -1;
            case 127: return 1;
            default: return 0;
        }
    }

    static int arrow(int day) {
        return switch (day) {
            case 1, 7 -> 0;
            case 2, 3, 4, 5, 6 -> {
                int base = day * 10;
                yield base + 1;
            }
            default -> throw new IllegalArgumentException("day " + day);
        };
    }

    public static void main(String[] args) {
        for (int i = -1; i <= 6; i++) System.out.print(dense(i) + " ");
        System.out.println(dense(Integer.MAX_VALUE) + " " + dense(Integer.MIN_VALUE));
        int[] xs = {Integer.MIN_VALUE, Integer.MIN_VALUE + 1, -1000000, -1, 0, 77777, Integer.MAX_VALUE};
        for (int x : xs) System.out.print(sparse(x) + ", ");
        System.out.println();
        for (int i = 0; i <= 5; i++) System.out.print(fallThrough(i) + " ");
        System.out.println();
        System.out.println(chars('a') + "" + chars('b') + chars('\uffff') + chars('\0'));
        System.out.println(bytes((byte) 128) + " " + bytes((byte) 127) + " " + bytes((byte) 0));
        for (int d = 1; d <= 8; d++) {
            try {
                System.out.print(arrow(d) + " ");
            } catch (IllegalArgumentException e) {
                System.out.println(e.getMessage());
            }
        }
        switch (3) { }
        switch (4) { default: System.out.println("only default"); }
        long hash = 0;
        for (int i = -5; i < 300; i++) {
            switch (i % 7) {
                case -3: hash = hash * 31 + 1; break;
                case 0: hash = hash * 31 + 2; continue;
                case 6: hash ^= 0x55;
                default: hash += i;
            }
            if (hash < 0) hash = -hash;
        }
        System.out.println(hash);
    }
}
