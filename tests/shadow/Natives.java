// Calls a native method of a test library. Arguments: the library, the duration in milliseconds.
public class Natives {
    static native int twice(int n);

    public static void main(String[] args) {
        System.load(args[0]);
        long end = System.nanoTime() + Long.parseLong(args[1]) * 1_000_000;
        int bad = 0;
        for (int i = 0; System.nanoTime() < end; i++) if (twice(i) != i + i) bad++;
        System.out.println("bad " + bad);
    }
}
