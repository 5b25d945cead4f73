import java.util.*;
import org.apache.lucene.analysis.standard.StandardAnalyzer;
import org.apache.lucene.document.*;
import org.apache.lucene.index.*;
import org.apache.lucene.search.*;
import org.apache.lucene.store.*;

/** Lucene: four threads add documents to one index in memory, which merges its segments in further threads. */
public final class Documents {
    private static final String[] WORDS = ("sail wind harbour rope anchor storm mast keel rudder tide chart compass pilot crew captain "
        + "cargo island reef lantern gull").split(" ");

    static void add(IndexWriter w, int seed, int count) {
        Random random = new Random(seed);
        try {
            for (int i = 0; i < count; i++) {
                StringBuilder text = new StringBuilder();
                for (int k = 20 + random.nextInt(60); k > 0; k--) text.append(WORDS[random.nextInt(WORDS.length)]).append(' ');
                Document doc = new Document();
                doc.add(new StringField("id", seed + "-" + i, Field.Store.YES));
                doc.add(new TextField("body", text.toString(), Field.Store.NO));
                w.addDocument(doc);
                if (i % 200 == 199) w.commit();
            }
        } catch (java.io.IOException e) {
            throw new java.io.UncheckedIOException(e);
        }
    }

    public static void main(String[] args) throws Exception {
        int count = Integer.parseInt(args[0]);
        Directory d = new ByteBuffersDirectory();
        IndexWriterConfig config = new IndexWriterConfig(new StandardAnalyzer());
        config.setMaxBufferedDocs(50);
        try (IndexWriter w = new IndexWriter(d, config)) {
            List<Thread> threads = new ArrayList<>();
            for (int i = 0; i < 4; i++) {
                int seed = i;
                Thread t = new Thread(() -> add(w, seed, count), "indexer-" + i);
                t.start();
                threads.add(t);
            }
            for (Thread t : threads) t.join();
        }
        try (DirectoryReader reader = DirectoryReader.open(d)) {
            System.out.println(reader.numDocs() + " documents, " + (reader.docFreq(new Term("body", "wind")) > 0));
        }
    }
}
