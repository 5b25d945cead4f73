// exit: 9
// Runtime.halt skips hooks and uses the given code.
public class Halt_now {
    public static void main(String[] args) {
        Runtime.getRuntime().addShutdownHook(new Thread(() -> System.out.println("hook must not run")));
        System.out.println("before");
        System.out.flush();
        Runtime.getRuntime().halt(9);
        System.out.println("after");
    }
}
