// SAX with namespaces, entities, processing instructions, a DTD with defaults and errors, filters and lexical events.
import java.io.*;
import javax.xml.parsers.*;
import org.xml.sax.*;
import org.xml.sax.ext.*;
import org.xml.sax.helpers.*;

public class Sax_events {
    static class Log extends DefaultHandler2 {
        Locator at;
        @Override public void setDocumentLocator(Locator l) { at = l; }
        void p(String s) { System.out.println(at.getLineNumber() + " " + s); }
        @Override public void startElement(String u, String l, String q, Attributes a) { StringBuilder b = new StringBuilder("start {" + u + "}" + l + " " + q); for (int i = 0; i < a.getLength(); i++) b.append(" ").append(a.getQName(i)).append("=").append(a.getValue(i)).append("(").append(a.getType(i)).append(a instanceof Attributes2 x && !x.isSpecified(i) ? " default" : "").append(")"); p(b.toString()); }
        @Override public void endElement(String u, String l, String q) { p("end " + q); }
        @Override public void characters(char[] c, int s, int n) { p("text [" + new String(c, s, n).replace("\n", "\\n") + "]"); }
        @Override public void ignorableWhitespace(char[] c, int s, int n) { p("ignorable " + n); }
        @Override public void processingInstruction(String t, String d) { p("pi " + t + " " + d); }
        @Override public void startPrefixMapping(String x, String u) { p("map " + x + "=" + u); }
        @Override public void endPrefixMapping(String x) { p("unmap " + x); }
        @Override public void comment(char[] c, int s, int n) { p("comment" + new String(c, s, n)); }
        @Override public void startCDATA() { p("cdata"); }
        @Override public void startEntity(String n) { p("entity " + n); }
        @Override public void startDTD(String n, String a, String b) { p("dtd " + n); }
        @Override public void skippedEntity(String n) { p("skipped " + n); }
        @Override public void error(SAXParseException e) { p("error " + e.getMessage()); }
        @Override public void fatalError(SAXParseException e) throws SAXException { p("fatal " + e.getMessage()); throw e; }
    }

    static void parse(boolean ns, boolean valid, String xml) throws Exception {
        SAXParserFactory f = SAXParserFactory.newInstance();
        f.setNamespaceAware(ns);
        f.setValidating(valid);
        SAXParser p = f.newSAXParser();
        Log l = new Log();
        p.setProperty("http://xml.org/sax/properties/lexical-handler", l);
        try { p.parse(new InputSource(new StringReader(xml)), l); } catch (SAXParseException e) { System.out.println("stopped at " + e.getLineNumber() + ":" + e.getColumnNumber()); }
        System.out.println("--");
    }

    public static void main(String[] args) throws Exception {
        parse(true, false, "<?xml version='1.0'?><!-- c --><?go now?><a:r xmlns:a='urn:a' xmlns='urn:d' a:x='1' y='&lt;2'>t&amp;u<b xmlns=''/><![CDATA[<&]]>\n</a:r>");
        parse(false, true, "<!DOCTYPE r [<!ELEMENT r (i*)><!ELEMENT i (#PCDATA)><!ATTLIST i k (p|q) 'p' id ID #REQUIRED><!ENTITY e 'ent&#105;ty'>]><r>\n <i id='a'>&e;</i><i id='a' k='z'/><x/></r>");
        for (String bad : new String[]{"<a><b></a>", "<a", "<a x='1' x='2'/>", "<a>&nope;</a>", "<a>\u0001</a>", "", "<a/><b/>", "<p:a/>", "<a><!-- -- --></a>", "<a>]]></a>"}) parse(true, false, bad);
        XMLFilterImpl filter = new XMLFilterImpl(SAXParserFactory.newInstance().newSAXParser().getXMLReader()) { @Override public void startElement(String u, String l, String q, Attributes a) throws SAXException { super.startElement(u, l, q.toUpperCase(), a); } };
        filter.setContentHandler(new DefaultHandler() { @Override public void startElement(String u, String l, String q, Attributes a) { System.out.println("filtered " + q); } });
        filter.parse(new InputSource(new StringReader("<x><y/></x>")));
        SAXParserFactory secure = SAXParserFactory.newInstance();
        secure.setFeature("http://apache.org/xml/features/disallow-doctype-decl", true);
        try { secure.newSAXParser().parse(new InputSource(new StringReader("<!DOCTYPE a><a/>")), new DefaultHandler()); } catch (SAXParseException e) { System.out.println(e.getMessage()); }
    }
}
