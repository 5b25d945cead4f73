// EnumMap, EnumSet (small and jumbo), BitSet.
import java.util.*;

public class Enum_bitSets {
    enum D { MON, TUE, WED, THU, FRI, SAT, SUN }
    enum J { A0,A1,A2,A3,A4,A5,A6,A7,A8,A9,B0,B1,B2,B3,B4,B5,B6,B7,B8,B9,C0,C1,C2,C3,C4,C5,C6,C7,C8,C9,E0,E1,E2,E3,E4,E5,E6,E7,E8,E9,F0,F1,F2,F3,F4,F5,F6,F7,F8,F9,G0,G1,G2,G3,G4,G5,G6,G7,G8,G9,H0,H1,H2,H3,H4,H5,H6,H7,H8,H9 }

    public static void main(String[] args) {
        EnumMap<D, Integer> m = new EnumMap<>(D.class);
        for (String s : "wed mon sun wed fri wed".split(" ")) m.merge(D.valueOf(s.toUpperCase()), 1, Integer::sum);
        System.out.println(m + " " + m.containsKey(D.TUE) + " " + m.remove(D.MON) + " " + m.keySet() + " " + m.values());
        EnumSet<D> w = EnumSet.range(D.MON, D.FRI);
        System.out.println(EnumSet.complementOf(w) + " " + w.contains(D.SAT) + " " + EnumSet.allOf(D.class).containsAll(w) + " " + EnumSet.noneOf(D.class));
        w.removeAll(List.of(D.TUE, D.THU));
        System.out.println(w + " " + EnumSet.copyOf(List.of(D.SUN, D.MON)));
        EnumSet<J> j = EnumSet.range(J.C0, J.H5);
        j.remove(J.F5);
        System.out.println(j.size() + " " + j.contains(J.H5) + " " + EnumSet.complementOf(j).size() + " " + j.iterator().next());
        BitSet b = new BitSet();
        for (int i = 0; i < 500; i += 7) b.set(i);
        b.flip(100, 120);
        b.clear(0, 30);
        BitSet c = new BitSet();
        c.set(50, 150);
        BitSet and = (BitSet) b.clone();
        and.and(c);
        BitSet xor = (BitSet) b.clone();
        xor.xor(c);
        System.out.println(and + " " + xor.cardinality() + " " + b.nextSetBit(31) + " " + b.nextClearBit(100) + " " + b.previousSetBit(99) + " " + b.length() + " " + b.intersects(c) + " " + b.hashCode());
        System.out.println(Arrays.toString(and.toLongArray()) + " " + BitSet.valueOf(new long[]{5}).toString() + " " + b.get(98, 130) + " " + b.stream().sum());
        b.andNot(c);
        b.or(BitSet.valueOf(new byte[]{1, 2}));
        System.out.println(b.cardinality() + " " + b.isEmpty() + " " + b.size());
        try {
            b.set(-1);
        } catch (IndexOutOfBoundsException e) {
            System.out.println(e.getMessage());
        }
    }
}
