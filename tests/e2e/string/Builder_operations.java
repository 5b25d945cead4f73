// StringBuilder and StringBuffer: insert, delete, replace, reverse, capacity, coder changes.
public class Builder_operations {
    public static void main(String[] args) {
        StringBuilder b = new StringBuilder();
        b.append(true).append('c').append(12).append(-5L).append(1.5f).append(2.25).append((Object) null).append((String) null).append(new char[]{'x', 'y'}).append("abcdef", 2, 4).append(new char[]{'1', '2', '3'}, 1, 2);
        System.out.println(b + " " + b.length());
        b.insert(0, "start").insert(5, 7).insert(6, 'q').insert(b.length(), 9L).insert(3, new char[]{'!'}).insert(1, false);
        System.out.println(b);
        b.delete(0, 5).deleteCharAt(0).replace(2, 6, "REPLACED").setCharAt(0, '_');
        System.out.println(b + " " + b.indexOf("CE") + " " + b.lastIndexOf("l") + " " + b.indexOf("zz") + " " + b.charAt(3));
        System.out.println(new StringBuilder("a\ud83d\ude00b\u4e2d").reverse() + " " + new StringBuilder("abc").reverse() + " " + new StringBuilder("\u00e9\u4e2d").reverse());
        StringBuilder c = new StringBuilder("latin");
        System.out.println(c.capacity());
        c.append('\u4e2d').append("x").setLength(6);
        c.setLength(8);
        System.out.println(c.toString().replace('\0', '0') + " " + c.length());
        c.setLength(2);
        c.append(c).append((CharSequence) c, 1, 3);
        System.out.println(c + " " + c.compareTo(new StringBuilder("lb")) + " " + c.chars().sum());
        c.appendCodePoint(0x1f600).appendCodePoint('z');
        System.out.println(c.codePointAt(c.length() - 3) + " " + c.codePointCount(0, c.length()) + " " + c.offsetByCodePoints(0, 3));
        for (Runnable r : new Runnable[]{() -> new StringBuilder("abc").charAt(3), () -> new StringBuilder("abc").deleteCharAt(5), () -> new StringBuilder("abc").insert(9, "x"),
            () -> new StringBuilder("abc").delete(2, 1), () -> new StringBuilder("abc").setLength(-1), () -> new StringBuilder("abc").substring(2, 9), () -> new StringBuilder(-1)}) {
            try {
                r.run();
            } catch (IndexOutOfBoundsException | NegativeArraySizeException e) {
                System.out.println(e.getClass().getSimpleName() + ": " + e.getMessage());
            }
        }
        StringBuffer sb = new StringBuffer();
        for (int i = 0; i < 200; i++) sb.append(i).append(i % 50 == 0 ? "\u20ac" : ",");
        System.out.println(sb.length() + " " + sb.toString().hashCode());
        char[] dst = new char[10];
        sb.getChars(5, 12, dst, 2);
        System.out.println(new String(dst).replace('\0', '.'));
        b.setLength(0);
        b.ensureCapacity(1000);
        b.trimToSize();
        System.out.println(b.isEmpty() + " " + String.join("-", b, sb.subSequence(0, 3)));
    }
}
