import java.io.*;
import javax.xml.transform.*;
import javax.xml.transform.sax.SAXResult;
import javax.xml.transform.stream.StreamSource;
import org.apache.fop.apps.*;

/** FOP as a program that returns: FopDocument CONFIGURATION XML XSL. Prints the number of pages. */
public final class FopDocument {
    private FopDocument() { }

    public static void main(String[] args) throws Exception {
        Fop fop = FopFactory.newInstance(new File(args[0])).newFop(MimeConstants.MIME_PDF, new ByteArrayOutputStream());
        Transformer transformer = TransformerFactory.newInstance().newTransformer(new StreamSource(new File(args[2])));
        transformer.transform(new StreamSource(new File(args[1])), new SAXResult(fop.getDefaultHandler()));
        System.out.println(fop.getResults().getPageCount() + " pages");
    }
}
