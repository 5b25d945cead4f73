// Says when all threads of the VM and the class library are there that it takes, then goes on as Whole.
public class Begun {
    public static void main(String[] args) {
        System.out.println("begun");
        System.out.flush();
        Whole.main(args);
    }
}
