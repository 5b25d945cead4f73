import java.util.*;

/** Counts the words of generated text and ranks them: substring, String keys, lower case, sorting by comparator. */
final class WordCount implements Kernel {
    private static final String[] PARTS = {"ba", "Ko", "lu", "mi", "Ta", "re", "su", "no", "Vi", "che"};

    private static String text(int words) {
        StringBuilder b = new StringBuilder();
        int seed = 99;
        for (int i = 0; i < words; i++) {
            seed = seed * 1103515245 + 12345 & 0x7fffffff;
            for (int k = 0; k <= seed % 3; k++) b.append(PARTS[(seed >> 4 * k + 4) % PARTS.length]);
            b.append(i % 9 == 8 ? ".\n" : " ");
        }
        return b.toString();
    }

    @Override
    public long run() {
        String t = text(75_000);
        Map<String, Integer> counts = new HashMap<>();
        int start = -1;
        for (int i = 0; i < t.length(); i++) {
            boolean letter = Character.isLetter(t.charAt(i));
            if (letter && start < 0) start = i;
            if (!letter && start >= 0) {
                counts.merge(t.substring(start, i).toLowerCase(), 1, Integer::sum);
                start = -1;
            }
        }
        List<Map.Entry<String, Integer>> ranked = new ArrayList<>(counts.entrySet());
        ranked.sort(Map.Entry.<String, Integer>comparingByValue().reversed().thenComparing(Map.Entry.comparingByKey()));
        long sum = counts.size();
        for (Map.Entry<String, Integer> e : ranked) sum = sum * 31 + e.getKey().hashCode() + e.getValue();
        return sum;
    }
}
