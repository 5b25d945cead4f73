<?xml version="1.0" encoding="UTF-8"?>
<xsl:stylesheet version="1.0" xmlns:xsl="http://www.w3.org/1999/XSL/Transform" xmlns:n="urn:notes"
    xmlns:exsl="http://exslt.org/common" xmlns:str="http://exslt.org/strings" exclude-result-prefixes="n exsl str">
  <xsl:output method="html" encoding="US-ASCII" indent="yes"/>
  <xsl:param name="limit" select="5"/>
  <xsl:key name="by-good" match="load" use="good"/>
  <xsl:variable name="pounds" select="0.45359"/>
  <xsl:decimal-format name="eu" decimal-separator="," grouping-separator="."/>

  <xsl:template match="/trade">
    <html>
      <head><title>Trade of <xsl:value-of select="@year"/></title></head>
      <body>
        <xsl:for-each select="load[generate-id() = generate-id(key('by-good', good)[1])]">
          <xsl:sort select="good"/>
          <h2><xsl:number value="position()" format="I"/>. <xsl:value-of select="translate(good, 'abcdefghijklmnopqrstuvwxyz', 'ABCDEFGHIJKLMNOPQRSTUVWXYZ')"/></h2>
          <xsl:variable name="loads" select="key('by-good', good)"/>
          <p><xsl:value-of select="count($loads)"/> loads, mean price
            <xsl:value-of select="format-number(sum($loads/price) div count($loads), '#.##0,00', 'eu')"/></p>
          <table border="1">
            <xsl:for-each select="$loads">
              <xsl:sort select="price" data-type="number" order="descending"/>
              <xsl:sort select="@id"/>
              <xsl:if test="position() &lt;= $limit"><xsl:apply-templates select="."/></xsl:if>
            </xsl:for-each>
          </table>
        </xsl:for-each>
        <xsl:variable name="routes">
          <xsl:for-each select="load"><r><xsl:value-of select="concat(@from, '-', @to)"/></r></xsl:for-each>
        </xsl:variable>
        <ul>
          <xsl:for-each select="exsl:node-set($routes)/r[not(. = preceding-sibling::r)]">
            <xsl:sort select="."/>
            <li><xsl:value-of select="."/></li>
          </xsl:for-each>
        </ul>
        <xsl:call-template name="count"><xsl:with-param name="n" select="60"/></xsl:call-template>
        <p><xsl:for-each select="str:tokenize('one two,three', ' ,')"><b><xsl:value-of select="."/></b></xsl:for-each></p>
      </body>
    </html>
  </xsl:template>

  <xsl:template match="load">
    <tr class="{@id}">
      <td><xsl:value-of select="@from"/></td><td><xsl:value-of select="@to"/></td>
      <td align="right"><xsl:apply-templates select="weight"/></td><td><xsl:value-of select="price"/></td>
      <td><xsl:apply-templates select="n:note"/></td>
    </tr>
  </xsl:template>
  <xsl:template match="weight[@unit = 'lb']"><xsl:value-of select="format-number(. * $pounds, '0.0')"/> kg</xsl:template>
  <xsl:template match="weight"><xsl:value-of select="."/> kg</xsl:template>
  <xsl:template match="n:note"><i lang="{@lang}"><xsl:value-of select="substring-after(., '&amp; ')"/></i></xsl:template>
  <xsl:template name="count">
    <xsl:param name="n"/><xsl:param name="sum" select="0"/>
    <xsl:choose>
      <xsl:when test="$n = 0"><p>sum <xsl:value-of select="$sum"/></p></xsl:when>
      <xsl:otherwise><xsl:call-template name="count"><xsl:with-param name="n" select="$n - 1"/><xsl:with-param name="sum" select="$sum + $n"/></xsl:call-template></xsl:otherwise>
    </xsl:choose>
  </xsl:template>
</xsl:stylesheet>
