// args: plain 'two words' '' --option=x -Xmx5 \u00e9 '*'
// Program arguments arrive unchanged.
public class Args_passed {
    public static void main(String[] args) {
        System.out.println(args.length);
        for (String a : args) System.out.println("[" + a + "] " + a.length());
    }
}
