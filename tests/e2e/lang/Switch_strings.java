// String switches, with colliding hash codes, null and the empty string.
public class Switch_strings {
    static int pick(String s) {
        switch (s) {
            case "Aa": return 1;
            case "BB": return 2;
            case "AaAa": return 3;
            case "BBBB": return 4;
            case "AaBB": return 5;
            case "": return 6;
            case "\u00e9t\u00e9": return 7;
            case "\u4e2d": return 8;
            default: return 0;
        }
    }

    static String kind(String s) {
        return switch (s) {
            case "int", "long", "short" -> "integral";
            case "float", "double" -> "floating";
            case "void" -> {
                StringBuilder b = new StringBuilder(s);
                yield b.reverse().toString();
            }
            default -> "reference:" + s;
        };
    }

    public static void main(String[] args) {
        String[] in = {"Aa", "BB", "AaAa", "BBBB", "AaBB", "BBAa", "", "\u00e9t\u00e9", "\u4e2d", "x"};
        for (String s : in) {
            System.out.print(s.hashCode() + ":" + pick(s) + ":" + pick(new String(s.toCharArray())) + " ");
        }
        System.out.println();
        for (String s : "int float void Object long".split(" ")) System.out.print(kind(s) + " ");
        System.out.println();
        try {
            pick(null);
        } catch (NullPointerException e) {
            System.out.println("NPE");
        }
    }
}
