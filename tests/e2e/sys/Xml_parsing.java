// The XML libraries of java.xml: DOM, SAX, XPath and a transformation, as a larger body of library code.
import java.io.*;
import javax.xml.parsers.*;
import javax.xml.transform.*;
import javax.xml.transform.dom.*;
import javax.xml.transform.stream.*;
import javax.xml.xpath.*;
import org.w3c.dom.*;
import org.xml.sax.*;
import org.xml.sax.helpers.DefaultHandler;

public class Xml_parsing {
    public static void main(String[] args) throws Exception {
        String xml = "<?xml version=\"1.0\"?><shop><item id='1' price=\"2.5\">Apple &amp; pear</item><!-- c --><item id='2' price='4'><![CDATA[<raw>]]></item></shop>";
        Document d = DocumentBuilderFactory.newInstance().newDocumentBuilder().parse(new InputSource(new StringReader(xml)));
        NodeList l = d.getElementsByTagName("item");
        for (int i = 0; i < l.getLength(); i++) System.out.println(((Element) l.item(i)).getAttribute("id") + " " + l.item(i).getTextContent());
        System.out.println(XPathFactory.newInstance().newXPath().evaluate("sum(//item/@price)", d) + " " + XPathFactory.newInstance().newXPath().evaluate("//item[@id='2']", d));
        int[] counts = new int[3];
        SAXParserFactory.newInstance().newSAXParser().parse(new ByteArrayInputStream(xml.getBytes()), new DefaultHandler() {
            @Override public void startElement(String u, String ln, String q, Attributes a) { counts[0]++; counts[1] += a.getLength(); }
            @Override public void characters(char[] c, int s, int n) { counts[2] += n; }
        });
        System.out.println(counts[0] + " " + counts[1] + " " + counts[2]);
        Element e = d.createElement("added");
        e.setAttribute("k", "<v>");
        d.getDocumentElement().appendChild(e);
        StringWriter w = new StringWriter();
        Transformer t = TransformerFactory.newInstance().newTransformer();
        t.setOutputProperty(OutputKeys.OMIT_XML_DECLARATION, "yes");
        t.transform(new DOMSource(d), new StreamResult(w));
        System.out.println(w);
        DocumentBuilder b = DocumentBuilderFactory.newInstance().newDocumentBuilder();
        b.setErrorHandler(null);
        PrintStream err = System.err;
        System.setErr(new PrintStream(OutputStream.nullOutputStream()));
        try {
            b.parse(new InputSource(new StringReader("<a><b></a>")));
        } catch (SAXParseException x) {
            System.out.println(x.getLineNumber() + " " + x.getMessage());
        }
        System.setErr(err);
    }
}
