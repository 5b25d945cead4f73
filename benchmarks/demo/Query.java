import java.util.*;

/**
 * The query language:
 *   query  = clause { "or" clause }        clause = factor { [ "and" ] factor }
 *   factor = "not" factor | "(" query ")" | word | '"' words '"'
 */
sealed interface Query {
    record Word(String word) implements Query { }
    record Phrase(List<String> words) implements Query { }
    record And(Query left, Query right) implements Query { }
    record Or(Query left, Query right) implements Query { }
    record Not(Query inner) implements Query { }

    /** The numbers of the matching documents. */
    default Set<Integer> matches(Index index) {
        if (this instanceof Word w) return documents(index.postings(w.word()));
        if (this instanceof Phrase p) return phrase(index, p.words());
        if (this instanceof And a) {
            Set<Integer> both = new TreeSet<>(a.left().matches(index));
            both.retainAll(a.right().matches(index));
            return both;
        }
        if (this instanceof Or o) {
            Set<Integer> either = new TreeSet<>(o.left().matches(index));
            either.addAll(o.right().matches(index));
            return either;
        }
        Set<Integer> rest = index.everything();
        rest.removeAll(((Not) this).inner().matches(index));
        return rest;
    }

    /** The words by which a match is ranked: all that are not under a "not". */
    default void collectWords(Set<String> into) {
        if (this instanceof Word w) into.add(w.word());
        if (this instanceof Phrase p) into.addAll(p.words());
        if (this instanceof And a) {
            a.left().collectWords(into);
            a.right().collectWords(into);
        }
        if (this instanceof Or o) {
            o.left().collectWords(into);
            o.right().collectWords(into);
        }
    }

    private static Set<Integer> documents(List<Index.Posting> postings) {
        Set<Integer> out = new TreeSet<>();
        for (Index.Posting p : postings) out.add(p.document);
        return out;
    }

    private static Set<Integer> phrase(Index index, List<String> words) {
        Set<Integer> out = new TreeSet<>();
        for (Index.Posting first : index.postings(words.get(0))) {
            for (int i = 0; i < first.count(); i++) {
                if (continues(index, words, first.document, first.position(i))) {
                    out.add(first.document);
                    break;
                }
            }
        }
        return out;
    }

    private static boolean continues(Index index, List<String> words, int document, int position) {
        for (int k = 1; k < words.size(); k++) {
            List<Index.Posting> list = index.postings(words.get(k));
            int low = 0, high = list.size() - 1;
            while (low < high) {
                int middle = low + high >>> 1;
                if (list.get(middle).document < document) low = middle + 1; else high = middle;
            }
            if (low > high || list.get(low).document != document || !list.get(low).has(position + k)) return false;
        }
        return true;
    }

    static Query parse(String text) { return new QueryParser(text).parse(); }
}

final class QueryParser {
    private final List<String> tokens = new ArrayList<>();
    private int at;

    QueryParser(String text) {
        for (int i = 0; i < text.length(); ) {
            char c = text.charAt(i);
            int end = i + 1;
            if (c == '"') end = text.indexOf('"', i + 1) + 1;
            else if (Character.isLetter(c)) while (end < text.length() && Character.isLetter(text.charAt(end))) end++;
            if (end == 0) throw new IllegalArgumentException("open quote at " + i);
            if (c != ' ') tokens.add(text.substring(i, end));
            i = end;
        }
    }

    Query parse() {
        Query q = query();
        if (at < tokens.size()) throw new IllegalArgumentException("unexpected " + tokens.get(at));
        return q;
    }

    private boolean take(String token) {
        boolean here = at < tokens.size() && tokens.get(at).equals(token);
        if (here) at++;
        return here;
    }

    private Query query() {
        Query q = clause();
        while (take("or")) q = new Query.Or(q, clause());
        return q;
    }

    private Query clause() {
        Query q = factor();
        while (at < tokens.size() && !tokens.get(at).equals("or") && !tokens.get(at).equals(")")) {
            take("and");
            q = new Query.And(q, factor());
        }
        return q;
    }

    private Query factor() {
        if (take("not")) return new Query.Not(factor());
        if (take("(")) {
            Query q = query();
            if (!take(")")) throw new IllegalArgumentException("missing )");
            return q;
        }
        if (at == tokens.size()) throw new IllegalArgumentException("unexpected end");
        String t = tokens.get(at++);
        if (t.startsWith("\"")) return new Query.Phrase(Index.words(t));
        if (!Character.isLetter(t.charAt(0))) throw new IllegalArgumentException("unexpected " + t);
        return new Query.Word(t);
    }
}
