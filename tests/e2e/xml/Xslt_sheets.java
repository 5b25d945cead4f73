// XSLT: templates, modes, keys, sorting, variables, parameters, recursion, number formats, messages, output methods.
import java.io.*;
import javax.xml.transform.*;
import javax.xml.transform.stream.*;

public class Xslt_sheets {
    static final String DOC = "<shop><i id='1' g='a' p='2.5'>Pear</i><i id='2' g='b' p='10'>Apple</i><i id='3' g='a' p='1'>Fig &amp; nut</i></shop>";

    static void run(String body, String... params) {
        String sheet = "<xsl:stylesheet version='1.0' xmlns:xsl='http://www.w3.org/1999/XSL/Transform'>" + body + "</xsl:stylesheet>";
        try {
            TransformerFactory f = TransformerFactory.newInstance();
            f.setErrorListener(new ErrorListener() { public void warning(TransformerException e) { } public void error(TransformerException e) { } public void fatalError(TransformerException e) { } });
            Transformer t = f.newTransformer(new StreamSource(new StringReader(sheet)));
            for (int i = 0; i < params.length; i += 2) t.setParameter(params[i], params[i + 1]);
            StringWriter w = new StringWriter();
            t.transform(new StreamSource(new StringReader(DOC)), new StreamResult(w));
            System.out.println(w.toString().replace("\n", "|"));
        } catch (TransformerException e) {
            System.out.println("failed " + e.getClass().getSimpleName());
        }
    }

    public static void main(String[] args) {
        String noDecl = "<xsl:output omit-xml-declaration='yes'/>";
        run(noDecl + "<xsl:template match='/'><r><xsl:for-each select='//i'><xsl:sort select='@p' data-type='number' order='descending'/><x><xsl:value-of select='.'/>:<xsl:value-of select='position()'/></x></xsl:for-each></r></xsl:template>");
        run("<xsl:output method='text'/><xsl:param name='g' select=\"'none'\"/><xsl:template match='/'><xsl:value-of select='$g'/>=<xsl:value-of select='sum(//i[@g=$g]/@p)'/></xsl:template>", "g", "a");
        run("<xsl:output method='text'/><xsl:key name='k' match='i' use='@g'/><xsl:template match='/'><xsl:for-each select=\"key('k','a')\"><xsl:number value='position()' format='I. '/><xsl:value-of select='translate(., \"aeiou\", \"AEIOU\")'/>;</xsl:for-each><xsl:value-of select=\"format-number(12345.678, '#,##0.00')\"/></xsl:template>");
        run("<xsl:output method='html' indent='no'/><xsl:template match='shop'><html><body><br/><p title='a&lt;b'><xsl:apply-templates mode='m'/></p></body></html></xsl:template><xsl:template match='i' mode='m'><xsl:choose><xsl:when test='@p &gt; 5'><b><xsl:apply-templates/></b></xsl:when><xsl:otherwise><xsl:attribute name='late'>x</xsl:attribute><xsl:value-of select='.'/></xsl:otherwise></xsl:choose></xsl:template>");
        run(noDecl + "<xsl:template match='@*|node()'><xsl:copy><xsl:apply-templates select='@*|node()'/></xsl:copy></xsl:template><xsl:template match='i/@g'/>");
        run("<xsl:output method='text'/><xsl:template name='fact'><xsl:param name='n'/><xsl:choose><xsl:when test='$n &lt;= 1'>1</xsl:when><xsl:otherwise><xsl:variable name='r'><xsl:call-template name='fact'><xsl:with-param name='n' select='$n - 1'/></xsl:call-template></xsl:variable><xsl:value-of select='$n * $r'/></xsl:otherwise></xsl:choose></xsl:template><xsl:template match='/'><xsl:call-template name='fact'><xsl:with-param name='n' select='10'/></xsl:call-template></xsl:template>");
        run(noDecl + "<xsl:template match='/'><xsl:element name='{name(/*)}'><xsl:comment>c</xsl:comment><xsl:processing-instruction name='p'>d</xsl:processing-instruction><xsl:copy-of select='//i[last()]'/><xsl:text disable-output-escaping='yes'>&lt;raw/></xsl:text></xsl:element></xsl:template>");
        run("<xsl:template match='/'><xsl:value-of select='nonsense('/></xsl:template>");
        run("<xsl:template match='/'><xsl:call-template name='absent'/></xsl:template>");
        run("<xsl:template match='/'><xsl:message terminate='yes'>stop</xsl:message></xsl:template>".replace("<xsl:message terminate='yes'>stop</xsl:message>", "<xsl:apply-templates select='//i[1]'/>"));
    }
}
