// Interning: literals, constants, computed strings, across classes; string switch on interned data.
public class Intern_identity {
    static class Other { static final String S = "shared"; static String make() { return "sha" + "red"; } }
    static final String T = "sha" + "red";

    public static void main(String[] args) {
        String half = "sha";
        String made = half + "red";
        System.out.println((T == Other.S) + " " + (Other.make() == T) + " " + (made == T) + " " + (made.intern() == T));
        String fresh = new String(new char[]{'f', 'r', 'e', 's', 'h', 'X'});
        System.out.println((fresh.intern() == fresh) + " " + (fresh.intern() == "freshX"));
        String w1 = "\u4e2d\u6587", w2 = new StringBuilder("\u4e2d").append('\u6587').toString();
        System.out.println((w1 == w2) + " " + (w1 == w2.intern()) + " " + ("" == new String().intern()));
        int same = 0;
        String[] made2 = new String[500];
        for (int i = 0; i < 500; i++) made2[i] = ("key" + i).intern();
        System.gc();
        for (int i = 0; i < 500; i++) if (made2[i] == ("key" + i).intern()) same++;
        System.out.println(same);
        System.out.println((Intern_identity.class.getName() == Intern_identity.class.getName()) + " " + (String.class.getName() == "java.lang.String") + " " + (int.class.getName() == "int"));
        Object o = "shared";
        synchronized (o) { System.out.println(Thread.holdsLock(T)); }
        System.out.println((Integer.toString(5) == Integer.toString(5)) + " " + (Boolean.toString(true) == "true") + " " + (String.valueOf((Object) null) == "null"));
    }
}
