// XML Schema: types, facets, keys, defaults, and the validator's messages for invalid documents.
import java.io.*;
import javax.xml.*;
import javax.xml.transform.stream.*;
import javax.xml.validation.*;
import org.xml.sax.*;

public class Schema_validation {
    public static void main(String[] args) throws Exception {
        String xsd = "<xs:schema xmlns:xs='http://www.w3.org/2001/XMLSchema'><xs:element name='r'><xs:complexType><xs:sequence><xs:element name='i' maxOccurs='3'><xs:complexType><xs:simpleContent><xs:extension base='pct'><xs:attribute name='id' type='xs:ID' use='required'/><xs:attribute name='d' type='xs:date'/></xs:extension></xs:simpleContent></xs:complexType></xs:element><xs:choice><xs:element name='a' type='xs:boolean'/><xs:element name='b' type='code'/></xs:choice></xs:sequence></xs:complexType></xs:element><xs:simpleType name='pct'><xs:restriction base='xs:decimal'><xs:minInclusive value='0'/><xs:maxInclusive value='100'/><xs:fractionDigits value='2'/></xs:restriction></xs:simpleType><xs:simpleType name='code'><xs:restriction base='xs:string'><xs:pattern value='[A-Z]{2}\\d+'/></xs:restriction></xs:simpleType></xs:schema>";
        SchemaFactory f = SchemaFactory.newInstance(XMLConstants.W3C_XML_SCHEMA_NS_URI);
        Schema s = f.newSchema(new StreamSource(new StringReader(xsd)));
        for (String x : new String[]{"<r><i id='x'>5.25</i><a>true</a></r>", "<r><i id='x' d='2021-02-30'>5</i><b>AB12</b></r>", "<r><i id='x'>101</i><b>ab</b></r>", "<r><i>1.234</i><a>maybe</a></r>", "<r><i id='x'>1</i><i id='x'>2</i><a>1</a></r>", "<r><a>1</a></r>", "<r><i id='x'>1</i></r>", "<r><i id='x'>1</i><a>0</a><b>AA1</b></r>", "<q/>", "<r z='1'><i id='1'>1</i><a>1</a></r>"}) {
            Validator v = s.newValidator();
            int[] n = {0};
            v.setErrorHandler(new ErrorHandler() {
                public void warning(SAXParseException e) { }
                public void error(SAXParseException e) { n[0]++; System.out.println("  " + e.getMessage()); }
                public void fatalError(SAXParseException e) throws SAXException { throw e; }
            });
            v.validate(new StreamSource(new StringReader(x)));
            System.out.println(x + " errors " + n[0]);
        }
        try { f.newSchema(new StreamSource(new StringReader("<xs:schema xmlns:xs='http://www.w3.org/2001/XMLSchema'><xs:element name='x' type='none'/></xs:schema>"))); } catch (SAXParseException e) { System.out.println(e.getMessage()); }
    }
}
