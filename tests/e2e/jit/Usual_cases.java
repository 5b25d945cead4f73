import java.util.ArrayList;
import java.util.List;
import java.util.Objects;

/** Methods whose common cases compiled code does inline; the rare cases, from hot loops. */
public class Usual_cases {
    interface Operation { long run(int i); }

    static final String[] TEXTS = {"", "a", "\0\0", "\u4e00\u4e8c\u4e09", "abcdef", "h\u00e9las", "\ud83d\ude00!"};

    static void each(String name, Operation operation) {
        long sum = 0;
        int thrown = 0;
        String first = "none";
        for (int i = 0; i < 6000; i++) {
            try {
                sum = sum * 31 + operation.run(i);
            } catch (RuntimeException e) {
                if (thrown++ == 0) first = e.toString();
            }
        }
        System.out.println(name + " " + sum + ", " + thrown + " thrown, " + first);
    }

    static String text(int i) { return TEXTS[i % TEXTS.length]; }

    static long chars(CharSequence text, int i) { return text.charAt(i % 8 - 1); }

    static void texts() {
        each("length", i -> text(i).length());
        each("charAt", i -> text(i).charAt(i % 8 - 1));
        each("chars", i -> i % 3 == 0 ? chars(new StringBuilder(text(i)), i) : chars(text(i), i));
        each("extreme", i -> text(i).charAt(i % 2 == 0 ? Integer.MIN_VALUE : Integer.MAX_VALUE));
        each("hash", i -> text(i).hashCode());
        each("new hash", i -> new String(text(i)).hashCode() + (text(i) + i).hashCode());
        each("null", i -> (i % 5 == 0 ? null : text(i)).length());
        each("UTF-16", i -> new StringBuilder("\u20ac").append(text(i)).append((char) i).reverse().charAt(i % 4));
    }

    static void numbers() {
        int[] edges = {Integer.MIN_VALUE, -1, 0, 1, 46341, Integer.MAX_VALUE};
        long[] wide = {Long.MIN_VALUE, -1, 0, 1, 3037000500L, Long.MAX_VALUE};
        each("index", i -> Objects.checkIndex(edges[i % 6], edges[i / 6 % 6]));
        each("add", i -> Math.addExact(edges[i % 6], edges[i / 6 % 6]));
        each("subtract", i -> Math.subtractExact(edges[i % 6], edges[i / 6 % 6]));
        each("multiply", i -> Math.multiplyExact(edges[i % 6], edges[i / 6 % 6]));
        each("add long", i -> Math.addExact(wide[i % 6], wide[i / 6 % 6]));
        each("subtract long", i -> Math.subtractExact(wide[i % 6], wide[i / 6 % 6]));
        each("multiply long", i -> Math.multiplyExact(wide[i % 6], wide[i / 6 % 6]));
        each("narrow", i -> Math.toIntExact(wide[i % 6]) + Math.toIntExact(edges[i % 6]));
        List<Integer> list = new ArrayList<>(List.of(3, 1, 4));
        each("list", i -> list.get(i % 5 - 1));
    }

    public static void main(String[] args) {
        texts();
        numbers();
    }
}
