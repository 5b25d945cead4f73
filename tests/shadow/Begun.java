// Reports when all threads of the VM and the class library have started, then continues as Whole.
public class Begun {
    public static void main(String[] args) {
        System.out.println("begun");
        System.out.flush();
        Whole.main(args);
    }
}
