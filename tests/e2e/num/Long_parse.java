// Parsing and printing of integers in all radixes, with the errors.
public class Long_parse {
    static void p(String s, int radix) {
        try {
            System.out.print(Integer.parseInt(s, radix) + " ");
        } catch (NumberFormatException e) {
            System.out.print("[" + e.getMessage() + "] ");
        }
        try {
            System.out.println(Long.parseLong(s, radix));
        } catch (NumberFormatException e) {
            System.out.println("[" + e.getMessage() + "]");
        }
    }

    public static void main(String[] args) {
        String[] in = {"0", "-0", "+5", "2147483647", "2147483648", "-2147483648", "-2147483649", "9223372036854775807", "9223372036854775808", "-9223372036854775808", "", "-", "+", " 1", "1 ", "0x10", "1_000", "\u0663\u0664", "zz", "12a"};
        for (String s : in) p(s, 10);
        p("zz", 36); p("-ZZ", 36); p("1111", 2); p("2", 2); p("7fffffff", 16); p("80000000", 16); p("-80000000", 16); p("1", 1); p("1", 37); p(null, 10);
        long[] ls = {0, 1, -1, 10, Long.MAX_VALUE, Long.MIN_VALUE, 1234567890123L, Integer.MIN_VALUE};
        for (long l : ls) {
            StringBuilder s = new StringBuilder();
            for (int r = 2; r <= 36; r += 7) s.append(Long.toString(l, r)).append(' ').append(Integer.toString((int) l, r)).append(' ');
            System.out.println(s.append(Long.toUnsignedString(l, 10)));
        }
        System.out.println(Integer.decode("0x1F") + " " + Integer.decode("-010") + " " + Long.decode("#ff") + " " + Integer.parseUnsignedInt("4294967295") + " " + Long.parseUnsignedLong("18446744073709551615") + " " + Integer.valueOf("77", 8) + " " + Short.parseShort("-32768") + " " + Byte.parseByte("7f", 16));
        for (String bad : new String[]{"32768", "x"}) {
            try {
                Short.parseShort(bad);
            } catch (NumberFormatException e) {
                System.out.println(e.getMessage());
            }
        }
        System.out.println(Integer.parseInt("xx123yy", 2, 5, 10) + " " + Integer.getInteger("no.such", 5) + " " + Long.getLong("no.such") + " " + Boolean.parseBoolean("tRue") + " " + Boolean.parseBoolean("yes"));
        for (int i = 1, k = 0; k < 11; i *= 10, k++) System.out.print(i + "," + -i + "," + (i - 1) + " ");
        System.out.println();
    }
}
