// vm: -Xmx48m
// Soft references are cleared before OutOfMemoryError, weak keys at once; a cache of large arrays in a small heap.
import java.lang.ref.*;
import java.util.*;

public class Soft_pressure {
    public static void main(String[] args) {
        List<SoftReference<byte[]>> cache = new ArrayList<>();
        for (int i = 0; i < 200; i++) {
            byte[] b = new byte[1 << 20];
            b[0] = (byte) i;
            cache.add(new SoftReference<>(b));
        }
        int alive = 0, right = 0;
        for (int i = 0; i < cache.size(); i++) { byte[] b = cache.get(i).get(); if (b != null) { alive++; if (b[0] == (byte) i) right++; } }
        System.out.println((alive < 48) + " " + (alive == right));
        List<byte[]> hold = new ArrayList<>();
        try {
            for (int i = 0; i < 100; i++) hold.add(new byte[1 << 20]);
            System.out.println("too much fits");
        } catch (OutOfMemoryError e) {
            boolean gone = true;
            for (SoftReference<byte[]> s : cache) gone &= s.get() == null;
            int held = hold.size();
            hold = null;  // linking the next line may need memory
            System.out.println("soft references gone: " + gone + " " + (held > 10));
        }
        byte[] again = new byte[20 << 20];
        System.out.println(again.length);
    }
}
