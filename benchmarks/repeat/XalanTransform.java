import java.io.*;
import javax.xml.transform.*;
import javax.xml.transform.stream.*;

/** Xalan as a program that returns: XalanTransform XML XSL LIMIT. Also reads the style sheet each time. */
public final class XalanTransform {
    private XalanTransform() { }

    public static void main(String[] args) throws TransformerException {
        Transformer transformer = new org.apache.xalan.processor.TransformerFactoryImpl().newTransformer(new StreamSource(new File(args[1])));
        transformer.setParameter("limit", args[2]);
        transformer.transform(new StreamSource(new File(args[0])), new StreamResult(System.out));
    }
}
