import java.nio.file.*;
import java.util.*;
import org.apache.lucene.analysis.standard.StandardAnalyzer;
import org.apache.lucene.analysis.en.EnglishAnalyzer;
import org.apache.lucene.analysis.Analyzer;
import org.apache.lucene.document.*;
import org.apache.lucene.index.*;
import org.apache.lucene.queryparser.classic.QueryParser;
import org.apache.lucene.search.*;
import org.apache.lucene.store.*;
import org.apache.lucene.util.BytesRef;

/** Lucene: indexes synthetic documents in memory and on disk (memory-mapped), searches, sorts, merges. */
public final class LuceneApp {
    private static final String[] WORDS = ("sail wind harbour rope anchor storm mast keel rudder tide chart compass pilot crew captain "
        + "cargo island reef lantern gull sailing winds harbours ropes anchored stormy running runs ran quickly slow").split(" ");
    private static int seed = 11;

    private static int random(int n) {
        seed = seed * 1103515245 + 12345;
        return (seed >>> 12) % n;
    }

    private static String text(int words) {
        StringBuilder b = new StringBuilder();
        for (int i = 0; i < words; i++) b.append(i == 0 ? "" : " ").append(WORDS[Math.min(random(WORDS.length), random(WORDS.length))]);
        return b.toString();
    }

    private static void index(Directory d, Analyzer analyzer, int from, int to, boolean create) throws Exception {
        IndexWriterConfig config = new IndexWriterConfig(analyzer);
        config.setOpenMode(create ? IndexWriterConfig.OpenMode.CREATE : IndexWriterConfig.OpenMode.APPEND);
        config.setMergeScheduler(new SerialMergeScheduler());
        try (IndexWriter w = new IndexWriter(d, config)) {
            for (int i = from; i < to; i++) {
                Document doc = new Document();
                doc.add(new StringField("id", "d" + i, Field.Store.YES));
                doc.add(new TextField("title", text(3), Field.Store.YES));
                doc.add(new TextField("body", text(20 + random(60)), Field.Store.NO));
                int year = 1900 + random(100);
                doc.add(new IntPoint("year", year));
                doc.add(new NumericDocValuesField("year", year));
                doc.add(new StoredField("year", year));
                doc.add(new SortedDocValuesField("kind", new BytesRef(WORDS[i % 5])));
                w.addDocument(doc);
                if (i % 60 == 59) w.commit();
            }
            if (!create) {
                w.deleteDocuments(new Term("id", "d7"));
                w.updateNumericDocValue(new Term("id", "d8"), "year", 1066);
                w.forceMerge(1);
            }
        }
    }

    private static void search(Directory d, Analyzer analyzer, String... queries) throws Exception {
        try (DirectoryReader reader = DirectoryReader.open(d)) {
            System.out.println(reader.numDocs() + " of " + reader.maxDoc() + " documents, " + reader.leaves().size() + " segments, "
                + reader.docFreq(new Term("body", "wind")) + " with wind");
            IndexSearcher searcher = new IndexSearcher(reader);
            QueryParser parser = new QueryParser("body", analyzer);
            for (String q : queries) {
                Query query = parser.parse(q);
                TopDocs top = searcher.search(query, 4);
                System.out.println(query + " -> " + top.totalHits);
                for (ScoreDoc hit : top.scoreDocs) {
                    Document doc = searcher.doc(hit.doc);
                    System.out.println("  " + doc.get("id") + " " + hit.score + " " + doc.get("title"));
                }
            }
            Query range = IntPoint.newRangeQuery("year", 1950, 1960);
            System.out.println("range " + searcher.count(range));
            Sort sort = new Sort(new SortField("kind", SortField.Type.STRING), new SortField("year", SortField.Type.INT, true));
            for (ScoreDoc hit : searcher.search(range, 5, sort).scoreDocs) {
                System.out.println("  " + Arrays.toString(Arrays.copyOfRange(((FieldDoc) hit).fields, 1, 2)) + " " + searcher.doc(hit.doc).get("id"));
            }
            Terms terms = MultiTerms.getTerms(reader, "title");
            TermsEnum all = terms.iterator();
            StringBuilder b = new StringBuilder();
            for (BytesRef t = all.next(); t != null; t = all.next()) b.append(t.utf8ToString()).append(':').append(all.docFreq()).append(' ');
            System.out.println(b);
            System.out.println(searcher.explain(parser.parse("sail AND wind"), searcher.search(parser.parse("sail AND wind"), 1).scoreDocs[0].doc).getValue());
        }
    }

    public static void main(String[] args) throws Exception {
        seed = 11;  // the same in every call
        String[] queries = {"sail", "+storm -mast", "\"wind harbour\"~3", "anch*", "rop?s OR lantern^2", "title:keel AND body:tide", "sial~1", "[sail TO storm]"};
        try (Directory memory = new ByteBuffersDirectory()) {
            index(memory, new StandardAnalyzer(), 0, 150, true);
            search(memory, new StandardAnalyzer(), queries);
        }
        Path where = Files.createTempDirectory(Paths.get("."), "index");
        try (Directory disk = new MMapDirectory(where)) {
            index(disk, new EnglishAnalyzer(), 0, 130, true);
            index(disk, new EnglishAnalyzer(), 130, 200, false);
            search(disk, new EnglishAnalyzer(), "running", "sails winds", "+anchor +tide", "quickly");
            System.out.println(new CheckIndexQuietly().clean(disk));
        }
        try (DirectoryStream<Path> files = Files.newDirectoryStream(where)) {
            for (Path f : files) Files.delete(f);
        }
        Files.delete(where);
    }

    private static final class CheckIndexQuietly {
        boolean clean(Directory d) throws Exception {
            try (CheckIndex check = new CheckIndex(d)) {
                return check.checkIndex().clean;
            }
        }
    }
}
