// StAX: cursor and event readers, writers with namespaces and escapes, filters, errors with positions.
import java.io.*;
import java.util.*;
import javax.xml.stream.*;
import javax.xml.stream.events.*;

public class Stax_streams {
    public static void main(String[] args) throws Exception {
        String xml = "<?xml version=\"1.0\"?><r xmlns:p='urn:p' a='1'><!--c--><p:x p:b='2'>te&lt;xt<![CDATA[cd]]></p:x><?pi data?><e/></r>";
        XMLInputFactory in = XMLInputFactory.newInstance();
        in.setProperty(XMLInputFactory.IS_COALESCING, true);
        XMLStreamReader r = in.createXMLStreamReader(new StringReader(xml));
        while (r.hasNext()) {
            int k = r.next();
            System.out.print(k + ":");
            if (r.isStartElement()) { System.out.print(r.getName() + " " + r.getPrefix() + " " + r.getAttributeCount()); for (int i = 0; i < r.getAttributeCount(); i++) System.out.print(" " + r.getAttributeName(i) + "=" + r.getAttributeValue(i)); }
            else if (r.isCharacters() || k == XMLStreamConstants.COMMENT) System.out.print(r.getText());
            else if (k == XMLStreamConstants.PROCESSING_INSTRUCTION) System.out.print(r.getPITarget() + " " + r.getPIData());
            else if (r.isEndElement()) System.out.print("/" + r.getLocalName());
            System.out.print(" ");
        }
        System.out.println(r.getEventType() + " " + r.getVersion());
        try { r.next(); } catch (NoSuchElementException e) { System.out.println("no more"); }
        XMLEventReader e = in.createFilteredReader(in.createXMLEventReader(new StringReader(xml)), v -> v.isStartElement() || v.isEndElement());
        while (e.hasNext()) { XMLEvent v = e.nextEvent(); System.out.print((v.isStartElement() ? "+" + v.asStartElement().getName().getLocalPart() : "-" + v.asEndElement().getName().getLocalPart()) + (e.peek() == null ? "!" : "") + " "); }
        System.out.println();
        StringWriter w = new StringWriter();
        XMLOutputFactory of = XMLOutputFactory.newInstance();
        XMLStreamWriter s = of.createXMLStreamWriter(w);
        s.writeStartDocument();
        s.setPrefix("q", "urn:q");
        s.writeStartElement("q", "root", "urn:q");
        s.writeNamespace("q", "urn:q");
        s.writeAttribute("a", "<\"&'>\n");
        s.writeEmptyElement("empty");
        s.writeCharacters("a<b>&c]]>\u00e9");
        s.writeCData("raw <");
        s.writeComment(" note ");
        s.writeProcessingInstruction("t", "d");
        s.writeEntityRef("ent");
        s.writeStartElement("urn:q", "child");
        s.writeEndDocument();
        s.close();
        System.out.println(w);
        of.setProperty(XMLOutputFactory.IS_REPAIRING_NAMESPACES, true);
        w = new StringWriter();
        s = of.createXMLStreamWriter(w);
        s.writeStartElement("z", "r", "urn:z");
        s.writeEndElement();
        s.close();
        System.out.println(w);
        w = new StringWriter();
        XMLEventWriter ew = XMLOutputFactory.newInstance().createXMLEventWriter(w);
        XMLEventFactory ef = XMLEventFactory.newInstance();
        ew.add(ef.createStartElement("", "", "ev"));
        ew.add(ef.createAttribute("k", "v"));
        ew.add(ef.createCharacters("t"));
        ew.add(ef.createEndElement("", "", "ev"));
        ew.close();
        System.out.println(w);
        for (String bad : new String[]{"<a><b></a>", "<a>&x;</a>", "<a", "x"}) try { XMLStreamReader b = in.createXMLStreamReader(new StringReader(bad)); while (b.hasNext()) b.next(); System.out.println("fine"); } catch (XMLStreamException x) { System.out.println(x.getLocation().getLineNumber() + ":" + x.getLocation().getColumnNumber() + " " + x.getMessage().lines().reduce((p, q) -> q).get()); }
        XMLStreamReader t = in.createXMLStreamReader(new StringReader("<a><b>5</b><c><d/></c></a>"));
        t.nextTag(); t.nextTag();
        System.out.println(t.getElementText());
        t.nextTag();
        try { t.getElementText(); } catch (XMLStreamException x) { System.out.println("mixed"); }
        try { t.require(XMLStreamConstants.START_ELEMENT, null, "zz"); } catch (XMLStreamException x) { System.out.println("required"); }
    }
}
