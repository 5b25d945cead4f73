// ResourceBundle: properties from a custom loader, fallback chains, class bundles, controls, missing keys, caching.
import java.io.*;
import java.util.*;

public class Resource_bundles {
    public static class Text extends ListResourceBundle { @Override protected Object[][] getContents() { return new Object[][]{{"a", "class a"}, {"list", new int[]{1, 2}}, {"n", 5}}; } }
    public static class Text_de extends ListResourceBundle { @Override protected Object[][] getContents() { return new Object[][]{{"a", "Klasse a"}}; } }

    static class Props extends ClassLoader {
        final Map<String, String> files = new TreeMap<>();
        final List<String> asked = new ArrayList<>();
        Props() { super(null); }
        @Override public InputStream getResourceAsStream(String n) { asked.add(n); String s = files.get(n); return s == null ? null : new ByteArrayInputStream(s.getBytes()); }
        @Override public java.net.URL getResource(String n) { return null; }
    }

    public static void main(String[] args) {
        Locale.setDefault(Locale.ROOT);
        ResourceBundle t = ResourceBundle.getBundle("Resource_bundles$Text", Locale.GERMANY);
        System.out.println(t.getString("a") + " " + t.getObject("n") + " " + ((int[]) t.getObject("list")).length + " " + t.getLocale() + " " + new TreeSet<>(t.keySet()) + " " + t.containsKey("zz"));
        System.out.println(ResourceBundle.getBundle("Resource_bundles$Text", Locale.FRANCE).getString("a") + " " + (ResourceBundle.getBundle("Resource_bundles$Text", Locale.GERMANY) == t));
        try { t.getString("zz"); } catch (MissingResourceException e) { System.out.println(e.getMessage() + " " + e.getKey()); }
        try { t.getString("n"); } catch (ClassCastException e) { System.out.println("no string"); }
        try { ResourceBundle.getBundle("absent.Bundle", Locale.JAPAN); } catch (MissingResourceException e) { System.out.println(e.getMessage()); }
        Props p = new Props();
        p.files.put("m.properties", "k=base\nonly=here\nuni=\\u00e9\\t!\n");
        p.files.put("m_fr.properties", "k : fran\u00e7ais");
        p.files.put("m_fr_CA.properties", "k  qu\u00e9becois\\\n   continued");
        ResourceBundle.Control c = new ResourceBundle.Control() {
            @Override public List<String> getFormats(String base) { return FORMAT_PROPERTIES; }
            @Override public ResourceBundle newBundle(String base, Locale l, String format, ClassLoader cl, boolean reload) throws IOException {
                InputStream in = cl.getResourceAsStream(toResourceName(toBundleName(base, l), "properties"));
                return in == null ? null : new PropertyResourceBundle(in);
            }
            @Override public Locale getFallbackLocale(String base, Locale l) { return l.equals(Locale.FRENCH) ? null : Locale.FRENCH; }
        };
        for (Locale l : new Locale[]{Locale.CANADA_FRENCH, Locale.FRENCH, Locale.ROOT, Locale.JAPAN, new Locale("no", "NO", "NY")}) {
            p.asked.clear();
            ResourceBundle b = ResourceBundle.getBundle("m", l, p, c);
            System.out.println(l + " -> " + b.getLocale() + " " + b.getString("k") + " " + b.getString("only") + " " + b.getString("uni") + " " + p.asked);
        }
        System.out.println(c.getCandidateLocales("m", Locale.forLanguageTag("zh-Hant-TW")) + " " + c.toBundleName("m", Locale.forLanguageTag("sr-Latn-RS")) + " " + c.toResourceName("a.b", "x"));
        ResourceBundle.clearCache(p);
        p.asked.clear();
        ResourceBundle.getBundle("m", Locale.FRENCH, p, c);
        System.out.println(p.asked);
    }
}
