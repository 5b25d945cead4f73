// XPath: axes, functions, node sets, namespaces, variables, custom functions, result kinds, errors, DOM edits.
import java.io.*;
import java.util.*;
import javax.xml.*;
import javax.xml.namespace.*;
import javax.xml.parsers.*;
import javax.xml.xpath.*;
import org.w3c.dom.*;
import org.w3c.dom.ls.*;
import org.xml.sax.InputSource;

public class Xpath_queries {
    public static void main(String[] args) throws Exception {
        DocumentBuilderFactory f = DocumentBuilderFactory.newInstance();
        f.setNamespaceAware(true);
        Document d = f.newDocumentBuilder().parse(new InputSource(new StringReader("<r xmlns:p='urn:p'><a n='1'>x</a><a n='2'><b/>y<!--c--></a><p:a n='3'/><c><a n='4'>z</a></c></r>")));
        XPath x = XPathFactory.newInstance().newXPath();
        x.setNamespaceContext(new NamespaceContext() { public String getNamespaceURI(String p) { return p.equals("q") ? "urn:p" : XMLConstants.NULL_NS_URI; } public String getPrefix(String u) { return null; } public Iterator<String> getPrefixes(String u) { return null; } });
        x.setXPathVariableResolver(n -> n.getLocalPart().equals("two") ? 2.0 : null);
        for (String e : new String[]{"count(//a)", "count(//q:a)", "//a[2]/@n", "string(//a[last()])", "//a[@n=$two]/b", "name(//*[@n='3'])", "local-name(//*[@n='3'])", "sum(//@n)", "//a[not(b)]/@n", "count(//a/ancestor::*)", "count(//comment())", "//c/preceding-sibling::a[1]/@n", "concat('a', 1 div 3, true())", "substring('hello', 2, 3)", "normalize-space('  a  b ')", "translate('abc','ab','x')", "number('x')", "1 div 0", "-5 mod 3", "round(-2.5)", "boolean(//zz)", "starts-with('ab','a') and contains('ab','b')", "string-length('\u00e9\ud83d\ude00')", "count(//a | //c)", "id('x')", "//a[position() mod 2 = 1]/@n", "substring-after('a=b','=')", "floor(2.7) + ceiling(2.1)", "/r/*[self::a or self::c][last()]/a", "lang('en')"})
            try { System.out.println(e + " -> " + x.evaluate(e, d)); } catch (XPathExpressionException z) { System.out.println(e + " failed"); }
        NodeList l = (NodeList) x.compile("//a").evaluate(d, XPathConstants.NODESET);
        for (int i = 0; i < l.getLength(); i++) System.out.print(((Element) l.item(i)).getAttribute("n") + " ");
        System.out.println(x.evaluate("//a", d, XPathConstants.NODE) + " " + x.evaluate("count(//a) > 2", d, XPathConstants.BOOLEAN) + " " + x.evaluate("count(//a)", d, XPathConstants.NUMBER) + " " + x.evaluateExpression("count(//a)", d, Integer.class));
        for (String bad : new String[]{"//", "a[", "foo()", "$none", "zz:a", "1 +"}) try { System.out.println(bad + " " + x.evaluate(bad, d)); } catch (XPathExpressionException e) { System.out.println(bad + " refused"); }
        Element r = d.getDocumentElement();
        Node moved = r.insertBefore(r.getLastChild(), r.getFirstChild());
        r.appendChild(d.createElementNS("urn:new", "k:new")).appendChild(d.createTextNode("<t>"));
        ((Element) moved).setAttribute("z", "1");
        r.removeChild(r.getElementsByTagName("a").item(1));
        Document other = f.newDocumentBuilder().newDocument();
        try { other.appendChild(r); } catch (DOMException e) { System.out.println(e.code); }
        try { d.createElement("1x"); } catch (DOMException e) { System.out.println(e.code); }
        try { r.appendChild(r); } catch (DOMException e) { System.out.println(e.code); }
        other.appendChild(other.importNode(r, true));
        r.normalize();
        LSSerializer s = ((DOMImplementationLS) d.getImplementation().getFeature("LS", "3.0")).createLSSerializer();
        s.getDomConfig().setParameter("xml-declaration", false);
        System.out.println(s.writeToString(other));
        System.out.println(r.isEqualNode(other.getDocumentElement()) + " " + r.compareDocumentPosition(moved) + " " + moved.getTextContent() + " " + r.lookupNamespaceURI("p") + " " + r.getChildNodes().getLength() + " " + moved.cloneNode(false).getChildNodes().getLength());
    }
}
