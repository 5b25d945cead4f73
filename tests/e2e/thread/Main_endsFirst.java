// The VM waits for non-daemon threads after main has returned.
public class Main_endsFirst {
    public static void main(String[] args) {
        Thread main = Thread.currentThread();
        new Thread(() -> {
            try {
                main.join();
                Thread.sleep(20);
            } catch (InterruptedException e) {
                return;
            }
            System.out.println("after main, alive " + main.isAlive());
            new Thread(() -> System.out.println("grandchild")).start();
        }).start();
        System.out.println("main returns");
    }
}
