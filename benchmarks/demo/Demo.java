import java.util.*;
import java.util.stream.Collectors;

/**
 * A small search engine over a bundled handbook: indexes it with two threads, answers queries, ranks
 * the hits by a formula and reports. Demo [DOCUMENTS]; the same number gives the same output.
 */
public final class Demo {
    private static final String RANKING = "tf * log(1 + n / df) / sqrt(length) + max(0, 0.5 - first / length) / 4";
    private static final String[] QUERIES = {
        "bread and oven", "\"the river\" and not ferry", "(bees or honey) and winter", "clock and (spring or oil) and not engine",
        "\"the lamp\" or \"the light\"", "mountain sheep", "not the", "salt and cheese and", "weather or (storm and lamp)", "nothing like it",
    };

    private record Hit(Corpus.Document document, double score) { }

    private final List<Corpus.Document> documents;
    private final Index index;
    private final Formula ranking = new Formula(RANKING);

    private Demo(List<Corpus.Document> documents) throws Exception {
        this.documents = documents;
        index = Index.build(documents, 2);
    }

    public static void main(String[] args) throws Exception {
        int count = args.length > 0 ? Integer.parseInt(args[0]) : 600;
        Demo demo = new Demo(Corpus.load().documents(count));
        demo.overview();
        for (String q : QUERIES) demo.answer(q);
        demo.consistency();
    }

    private void overview() {
        int words = documents.stream().mapToInt(d -> index.length(d.number())).sum();
        System.out.printf("%d documents, %d words, %d distinct terms%n", index.documents(), words, index.distinctTerms());
        System.out.println("most frequent: " + index.mostFrequent(8).stream().map(e -> e.getKey() + " " + e.getValue()).collect(Collectors.joining(", ")));
        Map<Integer, Long> lengths = documents.stream().collect(
            Collectors.groupingBy(d -> index.length(d.number()) / 25 * 25, TreeMap::new, Collectors.counting()));
        lengths.forEach((from, n) -> System.out.printf("  %3d to %3d words %5d %s%n", from, from + 24, n, "*".repeat((int) (n * 60 / documents.size()))));
    }

    private void answer(String text) {
        System.out.println();
        System.out.println("? " + text);
        Query query;
        try {
            query = Query.parse(text);
        } catch (IllegalArgumentException e) {
            System.out.println("  not a query: " + e.getMessage());
            return;
        }
        Set<String> words = new LinkedHashSet<>();
        query.collectWords(words);
        List<Hit> hits = new ArrayList<>();
        for (int d : query.matches(index)) hits.add(new Hit(documents.get(d), score(d, words)));
        hits.sort(Comparator.comparingDouble(Hit::score).reversed().thenComparing(h -> h.document().number()));
        System.out.println("  " + hits.size() + (hits.size() == 1 ? " hit" : " hits"));
        for (Hit h : hits.subList(0, Math.min(3, hits.size()))) {
            System.out.printf(Locale.ROOT, "  %7.4f  #%-5d %s%n", h.score(), h.document().number(), snippet(h.document().text(), words));
        }
    }

    private double score(int document, Set<String> words) {
        double total = 0;
        for (String w : words) {
            List<Index.Posting> list = index.postings(w);
            Index.Posting here = find(list, document);
            if (here == null) continue;
            total += ranking.value(name -> switch (name) {
                case "tf" -> here.count();
                case "df" -> list.size();
                case "n" -> index.documents();
                case "length" -> index.length(document);
                case "first" -> here.position(0);
                default -> throw new NoSuchElementException("no variable " + name);
            });
        }
        return total;
    }

    private static Index.Posting find(List<Index.Posting> list, int document) {
        for (Index.Posting p : list) if (p.document == document) return p;
        return null;
    }

    /** The text around the first query word, with all query words in capitals. */
    private static String snippet(String text, Set<String> words) {
        Set<String> stems = words.stream().map(Index::stem).collect(Collectors.toSet());
        String[] parts = text.split(" ");
        int center = 0;
        while (center < parts.length - 1 && !asked(parts[center], stems)) center++;
        StringBuilder out = new StringBuilder(center > 4 ? "..." : "");
        for (int i = Math.max(0, center - 4); i < Math.min(parts.length, center + 7); i++) {
            out.append(' ').append(asked(parts[i], stems) ? parts[i].toUpperCase(Locale.ROOT) : parts[i]);
        }
        return out.append(center + 7 < parts.length ? " ..." : "").toString().strip();
    }

    private static boolean asked(String part, Set<String> stems) {
        return Index.words(part).stream().map(Index::stem).anyMatch(stems::contains);
    }

    /** Invariants that must hold for any text: a check of the engine and of the VM under it. */
    private void consistency() {
        int broken = 0;
        List<String> words = index.mostFrequent(6).stream().map(Map.Entry::getKey).collect(Collectors.toList());
        for (String a : words) {
            for (String b : words) {
                Set<Integer> neither = Query.parse("not (" + a + " or " + b + ")").matches(index);
                Set<Integer> apart = Query.parse("not " + a + " and not " + b).matches(index);
                if (!neither.equals(apart)) broken++;
            }
        }
        System.out.println();
        System.out.println(words.size() * words.size() + " laws checked, " + broken + " broken");
    }
}
