import java.io.*;
import java.nio.charset.StandardCharsets;
import java.util.*;

/** Documents: the articles of the bundled handbook, and the requested number of further ones made of the same words. */
final class Corpus {
    record Document(int number, String title, String text) { }

    private final List<String> articles = new ArrayList<>();
    private final Map<String, List<String>> followers = new LinkedHashMap<>();
    private final List<String> openings = new ArrayList<>();
    private long seed = 2004;

    static Corpus load() throws IOException {
        try (InputStream in = Corpus.class.getResourceAsStream("handbook.txt")) {
            if (in == null) throw new FileNotFoundException("handbook.txt must stand beside the class files");
            Corpus c = new Corpus();
            for (String a : new String(in.readAllBytes(), StandardCharsets.UTF_8).split("\n\n")) c.learn(a.strip());
            return c;
        }
    }

    private void learn(String article) {
        articles.add(article);
        String before = null;
        for (String word : article.split(" ")) {
            if (before == null || before.endsWith(".")) openings.add(word);
            else followers.computeIfAbsent(before, k -> new ArrayList<>()).add(word);
            before = word;
        }
    }

    private int random(int bound) {
        seed = seed * 6364136223846793005L + 1442695040888963407L;
        return (int) ((seed >>> 33) % bound);
    }

    private String sentence() {
        StringBuilder out = new StringBuilder();
        String word = openings.get(random(openings.size()));
        for (int length = 0; ; length++) {
            out.append(word);
            List<String> next = followers.get(word);
            if (next == null || word.endsWith(".") || length == 40) break;
            out.append(' ');
            word = next.get(random(next.size()));
        }
        if (out.charAt(out.length() - 1) != '.') out.append('.');
        return out.toString();
    }

    List<Document> documents(int count) {
        List<Document> all = new ArrayList<>();
        for (String a : articles) all.add(new Document(all.size(), title(a), a));
        while (all.size() < count) {
            StringBuilder text = new StringBuilder(sentence());
            for (int i = 2 + random(4); i > 0; i--) text.append(' ').append(sentence());
            all.add(new Document(all.size(), title(text.toString()), text.toString()));
        }
        return all;
    }

    private static String title(String text) {
        int end = 0;
        for (int words = 0; end < text.length(); end++) if (text.charAt(end) == ' ' && ++words == 4) break;
        return text.substring(0, end);
    }
}
