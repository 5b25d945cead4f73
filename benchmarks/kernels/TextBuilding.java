/** String building, scanning and splitting by hand: StringBuilder, charAt, substring, concatenation. */
final class TextBuilding implements Kernel {
    private static String paragraph(int seed) {
        StringBuilder b = new StringBuilder();
        for (int w = 0; w < 120; w++) {
            seed = seed * 1103515245 + 12345 & 0x7fffffff;
            int length = 2 + seed % 9;
            for (int i = 0; i < length; i++) b.append((char) ('a' + (seed >> i & 15)));
            b.append(w % 12 == 11 ? ". " : w % 5 == 4 ? ", " : " ");
        }
        return b.toString();
    }

    private static String wrapped(String text, int width) {
        StringBuilder out = new StringBuilder();
        int column = 0, at = 0;
        while (at < text.length()) {
            int end = text.indexOf(' ', at);
            if (end < 0) end = text.length();
            String word = text.substring(at, end);
            if (column + word.length() > width) {
                out.append('\n');
                column = 0;
            } else if (column > 0) {
                out.append(' ');
                column++;
            }
            out.append(word);
            column += word.length();
            at = end + 1;
        }
        return out.toString();
    }

    private static String capitals(String s) {
        char[] cs = s.toCharArray();
        boolean start = true;
        for (int i = 0; i < cs.length; i++) {
            if (start && cs[i] >= 'a' && cs[i] <= 'z') cs[i] -= 32;
            start = cs[i] == '.' || start && cs[i] == ' ';
        }
        return new String(cs);
    }

    @Override
    public long run() {
        long sum = 0;
        for (int i = 0; i < 950; i++) {
            String s = capitals(wrapped(paragraph(i), 60));
            sum = sum * 31 + s.hashCode() + s.lastIndexOf('\n') + s.replace('e', 'E').indexOf("Ea");
            String tag = "p" + i + ":" + s.length() + '/' + (i & 1);
            sum += tag.hashCode() + (tag.startsWith("p1") ? 1 : 0) + tag.compareTo("p2");
        }
        return sum;
    }
}
