// Seeded generators give the documented sequences.
import java.util.*;

public class Random_sequences {
    public static void main(String[] args) {
        Random r = new Random(42);
        System.out.println(r.nextInt() + " " + r.nextInt(100) + " " + r.nextLong() + " " + r.nextDouble() + " " + r.nextFloat() + " " + r.nextBoolean() + " " + r.nextGaussian());
        byte[] b = new byte[10];
        r.nextBytes(b);
        System.out.println(Arrays.toString(b) + " " + r.nextInt(5, 10));
        System.out.println(Arrays.toString(new Random(7).ints(10, -50, 50).toArray()) + Arrays.toString(new Random(7).doubles(3).toArray()));
        SplittableRandom s = new SplittableRandom(99);
        System.out.println(s.nextInt() + " " + s.nextLong() + " " + s.split().nextInt(1000) + " " + s.nextDouble(5, 6));
        List<Integer> l = new ArrayList<>();
        for (int i = 0; i < 20; i++) l.add(i);
        Collections.shuffle(l, new Random(1));
        System.out.println(l);
        Random x = new Random(0L);
        long h = 0;
        for (int i = 0; i < 3000; i++) h = h * 31 + x.nextInt(1 + i);
        System.out.println(h);
        try {
            x.nextInt(0);
        } catch (IllegalArgumentException e) {
            System.out.println(e.getMessage());
        }
        System.out.println(new UUID(1, 2) + " " + UUID.nameUUIDFromBytes("x".getBytes()) + " " + UUID.fromString("00000000-0000-0001-0000-000000000002").equals(new UUID(1, 2)));
    }
}
