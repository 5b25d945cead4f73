// MessageFormat and ChoiceFormat: arguments, quotes, sub-formats, nested choices, parsing back, errors.
import java.text.*;
import java.util.*;

public class Message_formats {
    public static void main(String[] args) throws Exception {
        Locale.setDefault(Locale.US);
        Object[] a = {3, "text", new Date(0), 1234.5, null, 0.25};
        for (String p : new String[]{"{0} {1}", "{1} '{0}' ''{1}''", "{0,number} {3,number,#.##} {3,number,integer} {5,number,percent} {3,number,currency}", "{0,choice,0#none|1#one|1<many {0}|10#ten}", "{4} {9}", "{2,date,yyyy-MM-dd} {2,time,HH:mm}", "it's {0}", "'{'{0}'}'", "{0,choice,0#a|3#b '{1}' {1}}"}) {
            try { MessageFormat m = new MessageFormat(p); System.out.println(m.format(a) + " <- " + m.toPattern()); } catch (IllegalArgumentException e) { System.out.println(p + " " + e.getMessage()); }
        }
        for (String bad : new String[]{"{", "{x}", "{-1}", "{0,foo}", "{0,number,#.#.#}", "{0", "}"}) try { System.out.println(bad + " fine " + new MessageFormat(bad).format(a)); } catch (IllegalArgumentException e) { System.out.println(bad + " " + e.getMessage()); }
        System.out.println(Arrays.toString(new MessageFormat("{0} is {1,number} of {2}").parse("x is 1,234 of y z")));
        try { new MessageFormat("{0}-{1}").parse("nothing"); } catch (ParseException e) { System.out.println(e.getMessage() + " " + e.getErrorOffset()); }
        ChoiceFormat c = new ChoiceFormat("-1#negative|0#zero|1#one|1.0<more|\u221e<infinite");
        for (double d : new double[]{-5, -1, -0.5, 0, 0.5, 1, 1.0001, 1e9, Double.POSITIVE_INFINITY, Double.NaN}) System.out.print(c.format(d) + " ");
        System.out.println(c.toPattern() + " " + ChoiceFormat.nextDouble(1) + " " + ChoiceFormat.previousDouble(1));
        System.out.println(MessageFormat.format("{0,date,long} {1,number,000.0}", new Date(86400000L * 365), 7.25) + " " + new MessageFormat("{0} {1} {0}").getFormats().length);
    }
}
