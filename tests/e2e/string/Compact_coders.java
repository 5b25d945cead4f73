// Latin-1 and UTF-16 strings mixed: equality, search, concat and builder inflation across coders.
public class Compact_coders {
    public static void main(String[] args) {
        String latin = "caf\u00e9", wide = "caf\u00e9\u4e2d";
        String back = wide.substring(0, 4);
        System.out.println(latin.equals(back) + " " + (latin.hashCode() == back.hashCode()) + " " + latin.compareTo(wide) + " " + wide.compareTo(latin) + " " + wide.startsWith(latin) + " " + wide.indexOf(latin) + " " + latin.indexOf(wide) + " " + wide.contains("\u4e2d"));
        StringBuilder b = new StringBuilder();
        for (char c = 0xf0; c < 0x110; c++) b.append(c);
        String mixed = b.toString();
        System.out.println(mixed.length() + " " + mixed.hashCode() + " " + mixed.substring(0, 16).equals(b.substring(0, 16)) + " " + mixed.toUpperCase().hashCode() + " " + mixed.toLowerCase().hashCode());
        System.out.println(mixed.replace('\u0100', 'a').replace("\u0101", "").length() + " " + mixed.lastIndexOf(0xff) + " " + mixed.indexOf(0x10000) + " " + "\ud83d\ude00x".indexOf(0x1f600) + " " + "a\ud83d\ude00".lastIndexOf(0x1f600));
        char[] cs = {'a', '\u00ff', '\u0100'};
        System.out.println(new String(cs, 0, 2).getBytes(java.nio.charset.StandardCharsets.ISO_8859_1).length + " " + new String(cs).getBytes(java.nio.charset.StandardCharsets.UTF_8).length + " " + String.valueOf(cs[2]).equals("\u0100"));
        b.setLength(3);
        b.insert(1, "\u4e2d").deleteCharAt(1).append(1.5).append(100);
        System.out.println(b + " " + b.toString().equals("\u00f0\u00f1\u00f21.5100"));
        String[] parts = {"a", "\u00e9", "\u4e2d", "\ud83d\ude00", ""};
        int h = 0, eq = 0;
        for (String x : parts) for (String y : parts) for (String z : parts) {
            String t = x + y + z + 1;
            h = h * 31 + t.hashCode() + t.length();
            if (t.equals(new StringBuilder().append(x).append(y).append(z).append('1').toString())) eq++;
            h += t.indexOf(z) + t.lastIndexOf(x) + (t.compareTo(z) > 0 ? 1 : 0);
        }
        System.out.println(h + " " + eq);
        System.out.println("\u00b5\u00ff".toUpperCase().length() + " " + "\u00b5\u00ff".toUpperCase().hashCode() + " " + "\u212a".toLowerCase() + " " + "\u4e2d".repeat(5).replace("\u4e2d", "z").equals("zzzzz") + " " + "abc".equalsIgnoreCase("\uff41bc"));
    }
}
