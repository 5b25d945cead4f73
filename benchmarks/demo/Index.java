import java.util.*;
import java.util.concurrent.*;

/**
 * An inverted index with positions. Threads build shards that are merged in order, so the result does not depend on the
 * threads. Immutable after build returns.
 */
final class Index {
    /** The positions of a term in one document. */
    static final class Posting {
        final int document;
        private int[] at = new int[2];
        private int count;

        Posting(int document) { this.document = document; }

        void add(int position) {
            if (count == at.length) at = Arrays.copyOf(at, count * 2);
            at[count++] = position;
        }

        int count() { return count; }

        boolean has(int position) { return Arrays.binarySearch(at, 0, count, position) >= 0; }

        int position(int i) { return at[i]; }
    }

    private final Map<String, List<Posting>> terms = new HashMap<>();
    private final Map<Integer, Integer> lengths = new HashMap<>();

    static Index build(List<Corpus.Document> documents, int threads) throws InterruptedException, ExecutionException {
        ExecutorService pool = Executors.newFixedThreadPool(threads);
        List<Future<Index>> shards = new ArrayList<>();
        int size = (documents.size() + threads - 1) / threads;
        for (int from = 0; from < documents.size(); from += size) {
            List<Corpus.Document> part = documents.subList(from, Math.min(from + size, documents.size()));
            shards.add(pool.submit(() -> shard(part)));
        }
        Index all = new Index();
        for (Future<Index> s : shards) all.merge(s.get());
        pool.shutdown();
        return all;
    }

    private static Index shard(List<Corpus.Document> documents) {
        Index index = new Index();
        for (Corpus.Document d : documents) index.add(d);
        return index;
    }

    private void add(Corpus.Document d) {
        int position = 0;
        for (String word : words(d.text())) {
            List<Posting> list = terms.computeIfAbsent(stem(word), k -> new ArrayList<>());
            if (list.isEmpty() || list.get(list.size() - 1).document != d.number()) list.add(new Posting(d.number()));
            list.get(list.size() - 1).add(position++);
        }
        lengths.put(d.number(), position);
    }

    private void merge(Index shard) {
        shard.terms.forEach((term, list) -> terms.computeIfAbsent(term, k -> new ArrayList<>()).addAll(list));
        lengths.putAll(shard.lengths);
    }

    static List<String> words(String text) {
        List<String> out = new ArrayList<>();
        int start = -1;
        for (int i = 0; i <= text.length(); i++) {
            boolean letter = i < text.length() && Character.isLetter(text.charAt(i));
            if (letter && start < 0) start = i;
            if (!letter && start >= 0) {
                out.add(text.substring(start, i).toLowerCase(Locale.ROOT));
                start = -1;
            }
        }
        return out;
    }

    /** Strips common endings, so that "bakes", "baked" and "baking" are one term. */
    static String stem(String w) {
        for (String end : new String[]{"ing", "ed", "es", "s", "ly"}) {
            if (w.length() > end.length() + 2 && w.endsWith(end)) {
                String cut = w.substring(0, w.length() - end.length());
                return cut.length() > 3 && cut.endsWith("e") ? cut.substring(0, cut.length() - 1) : cut;
            }
        }
        return w.length() > 3 && w.endsWith("e") ? w.substring(0, w.length() - 1) : w;
    }

    List<Posting> postings(String word) { return terms.getOrDefault(stem(word), List.of()); }

    int documents() { return lengths.size(); }

    int length(int document) { return lengths.get(document); }

    int distinctTerms() { return terms.size(); }

    Set<Integer> everything() { return new TreeSet<>(lengths.keySet()); }

    List<Map.Entry<String, Integer>> mostFrequent(int n) {
        PriorityQueue<Map.Entry<String, Integer>> queue = new PriorityQueue<>(
            Map.Entry.<String, Integer>comparingByValue().reversed().thenComparing(Map.Entry.comparingByKey()));
        terms.forEach((term, list) -> {
            if (term.length() > 3) queue.add(Map.entry(term, list.stream().mapToInt(Posting::count).sum()));
        });
        List<Map.Entry<String, Integer>> out = new ArrayList<>();
        while (out.size() < n && !queue.isEmpty()) out.add(queue.poll());
        return out;
    }
}
