<?xml version="1.0" encoding="UTF-8"?>
<xsl:stylesheet version="1.0" xmlns:xsl="http://www.w3.org/1999/XSL/Transform" xmlns:fo="http://www.w3.org/1999/XSL/Format">
  <xsl:template match="/handbook">
    <fo:root>
      <fo:layout-master-set>
        <fo:simple-page-master master-name="page" page-height="14cm" page-width="10cm" margin="1cm">
          <fo:region-body margin-top="1cm" margin-bottom="1cm"/>
          <fo:region-before extent="0.8cm"/><fo:region-after extent="0.6cm"/>
        </fo:simple-page-master>
      </fo:layout-master-set>
      <fo:page-sequence master-reference="page">
        <fo:static-content flow-name="xsl-region-before"><fo:block font-size="8pt" text-align="end" border-bottom="0.5pt solid black"><xsl:value-of select="@title"/></fo:block></fo:static-content>
        <fo:static-content flow-name="xsl-region-after"><fo:block font-size="8pt" text-align="center">page <fo:page-number/> of <fo:page-number-citation ref-id="end"/></fo:block></fo:static-content>
        <fo:flow flow-name="xsl-region-body" font-family="serif" font-size="10pt" hyphenate="false">
          <xsl:apply-templates/>
          <fo:block id="end"/>
        </fo:flow>
      </fo:page-sequence>
    </fo:root>
  </xsl:template>
  <xsl:template match="chapter">
    <fo:block font-family="sans-serif" font-weight="bold" font-size="13pt" space-before="6pt" space-after="4pt" keep-with-next="always" color="#203060"><xsl:number format="1 "/><xsl:value-of select="@title"/></fo:block>
    <xsl:apply-templates/>
  </xsl:template>
  <xsl:template match="p"><fo:block text-align="justify" text-indent="4mm" widows="2" orphans="2"><xsl:apply-templates/></fo:block></xsl:template>
  <xsl:template match="table">
    <fo:table table-layout="fixed" width="100%" border-collapse="collapse" space-before="4pt" space-after="4pt">
      <fo:table-column column-width="25%"/><fo:table-column column-width="50%"/><fo:table-column column-width="25%"/>
      <fo:table-body><xsl:apply-templates select="row"/></fo:table-body>
    </fo:table>
    <fo:block><fo:instream-foreign-object><svg xmlns="http://www.w3.org/2000/svg" width="60" height="30"><path d="M0 30 L20 0 L40 30 Z" fill="#c04020"/><circle cx="48" cy="12" r="10" fill="none" stroke="navy"/></svg></fo:instream-foreign-object></fo:block>
    <fo:list-block provisional-distance-between-starts="6mm"><xsl:for-each select="row"><fo:list-item><fo:list-item-label end-indent="label-end()"><fo:block>&#x2022;</fo:block></fo:list-item-label><fo:list-item-body start-indent="body-start()"><fo:block><xsl:value-of select="c[1]"/></fo:block></fo:list-item-body></fo:list-item></xsl:for-each></fo:list-block>
  </xsl:template>
  <xsl:template match="row"><fo:table-row><xsl:for-each select="c"><fo:table-cell border="0.5pt solid grey" padding="2pt"><fo:block><xsl:value-of select="."/></fo:block></fo:table-cell></xsl:for-each></fo:table-row></xsl:template>
</xsl:stylesheet>
