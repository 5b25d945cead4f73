// The generators of java.util.random: seeds, streams, splits, bounds, skips, and statistics objects over them.
import java.util.*;
import java.util.random.*;
import java.util.stream.*;

public class Random_generators {
    public static void main(String[] args) {
        for (String n : new String[]{"L32X64MixRandom", "L64X128MixRandom", "L64X128StarStarRandom", "L64X256MixRandom", "L64X1024MixRandom", "L128X128MixRandom", "L128X256MixRandom", "Xoroshiro128PlusPlus", "Xoshiro256PlusPlus", "SplittableRandom", "Random"}) {
            RandomGenerator r = RandomGeneratorFactory.of(n).create(42);
            System.out.println(n + " " + r.nextInt() + " " + r.nextLong() + " " + r.nextInt(100) + " " + r.nextInt(-5, 5) + " " + r.nextLong(1L << 40) + " " + r.nextDouble() + " " + r.nextFloat() + " " + r.nextBoolean() + " " + r.nextDouble(2, 3) + " " + r.nextGaussian() + " " + r.nextExponential() + " " + r.ints(3, 0, 9).boxed().collect(Collectors.toList()));
        }
        SplittableRandom s = new SplittableRandom(7), t = s.split();
        System.out.println(s.nextInt() + " " + t.nextInt() + " " + s.splits(2).mapToInt(x -> ((SplittableRandom) x).nextInt(1000)).boxed().collect(Collectors.toList()));
        RandomGenerator.JumpableGenerator j = (RandomGenerator.JumpableGenerator) RandomGeneratorFactory.of("Xoshiro256PlusPlus").create(1);
        RandomGenerator.JumpableGenerator c = j.copy();
        j.jump();
        System.out.println(j.nextLong() + " " + c.nextLong() + " " + c.jumps(2).mapToLong(RandomGenerator::nextLong).boxed().collect(Collectors.toList()));
        Random r = new Random(5);
        byte[] b = new byte[7];
        r.nextBytes(b);
        System.out.println(Arrays.toString(b) + " " + r.nextGaussian() + " " + r.nextInt(1 << 20) + " " + r.nextInt(1000003) + " " + r.doubles(2).boxed().collect(Collectors.toList()) + " " + r.longs(2, 5, 50).boxed().collect(Collectors.toList()));
        for (Runnable x : new Runnable[]{() -> r.nextInt(0), () -> r.ints(-1), () -> r.ints(5, 5), () -> RandomGeneratorFactory.of("Nope"), () -> r.nextDouble(1, 1)}) try { x.run(); System.out.println("fine"); } catch (IllegalArgumentException e) { System.out.println(e.getMessage()); }
        List<Integer> l = IntStream.range(0, 20).boxed().collect(Collectors.toList());
        Collections.shuffle(l, new Random(3));
        System.out.println(l);
        System.out.println(new Random(9).ints(1000, 0, 100).summaryStatistics() + " " + new Random(9).doubles(1000).summaryStatistics().getAverage());
    }
}
