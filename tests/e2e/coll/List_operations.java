// ArrayList, LinkedList, sub-lists, iterators, unmodifiable and fixed-size lists.
import java.util.*;

public class List_operations {
    static void oops(Runnable r) {
        try {
            r.run();
            System.out.println("fine");
        } catch (RuntimeException e) {
            System.out.println(e.getClass().getSimpleName() + ": " + e.getMessage());
        }
    }

    public static void main(String[] args) {
        for (List<Integer> l : List.of(new ArrayList<Integer>(), new LinkedList<Integer>(), new Vector<Integer>(), new java.util.concurrent.CopyOnWriteArrayList<Integer>())) {
            for (int i = 0; i < 20; i++) l.add(i * 7 % 11);
            l.add(3, 100);
            l.addAll(0, List.of(-1, -2));
            l.remove((Object) 100);
            l.remove(0);
            l.set(1, 55);
            l.removeIf(x -> x % 5 == 3);
            l.replaceAll(x -> x + 1);
            Collections.swap(l, 0, 2);
            System.out.println(l + " " + l.indexOf(5) + " " + l.lastIndexOf(5) + " " + l.contains(56) + " " + l.hashCode() + " " + l.equals(new ArrayList<>(l)));
            l.sort(null);
            System.out.println(l + " " + Collections.binarySearch(l, 8) + " " + Collections.binarySearch(l, 1000));
            l.sort(Comparator.<Integer>naturalOrder().reversed());
            System.out.println(l.subList(2, 5) + " " + Arrays.toString(l.toArray(new Integer[0])).length());
        }
        List<String> a = new ArrayList<>(List.of("a", "b", "c", "d", "e"));
        List<String> sub = a.subList(1, 4);
        sub.set(0, "B");
        sub.remove("c");
        sub.add("new");
        System.out.println(a + " " + sub);
        ListIterator<String> it = a.listIterator(2);
        it.next();
        it.set("set");
        it.add("added");
        System.out.println(it.previous() + " " + it.nextIndex() + " " + a);
        oops(() -> sub.size());
        oops(() -> List.of(1, 2).add(3)); oops(() -> List.of(1, null)); oops(() -> Arrays.asList(1, 2).add(3)); oops(() -> new ArrayList<>(2).get(0)); oops(() -> new LinkedList<>().getFirst());
        oops(() -> new ArrayList<>(-1)); oops(() -> a.listIterator(99)); oops(() -> a.subList(3, 1)); oops(() -> Collections.unmodifiableList(a).clear()); oops(() -> a.iterator().remove()); oops(() -> List.of(1).contains(null));
        Collections.rotate(a, 2);
        Collections.reverse(a);
        System.out.println(a + " " + Collections.frequency(a, "a") + " " + Collections.nCopies(3, "x") + " " + Collections.max(a) + Collections.min(a) + " " + Collections.disjoint(a, List.of("q")) + " " + Collections.indexOfSubList(a, a.subList(2, 4)));
        List<Integer> checked = Collections.checkedList(new ArrayList<>(), Integer.class);
        oops(() -> ((List) checked).add("s"));
        System.out.println(List.copyOf(a).equals(a) + " " + Collections.emptyList() + Collections.singletonList(1) + " " + new ArrayList<>(a).retainAll(List.of("B")));
        Deque<Integer> d = new ArrayDeque<>();
        for (int i = 0; i < 40; i++) { if (i % 3 == 0) d.addFirst(i); else d.addLast(i); if (i % 5 == 4) d.pollFirst(); }
        System.out.println(d + " " + d.peekLast() + " " + d.removeFirstOccurrence(39) + " " + d.size());
        Stack<Integer> st = new Stack<>();
        st.push(1); st.push(2);
        System.out.println(st.pop() + st.peek() + " " + st.search(1) + " " + st);
    }
}
