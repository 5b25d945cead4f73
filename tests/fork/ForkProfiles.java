import cabernet.Profile;

// A forked child starts, stops and dumps a profile. Arguments: the library of natives, the child's profile.
public class ForkProfiles {
    static int sink;

    static void counted(int i) { sink += i; }

    static String outcome(Runnable command) {
        try {
            command.run();
            return "done";
        } catch (IllegalStateException e) {
            return "refused: " + e.getMessage();
        }
    }

    public static void main(String[] args) {
        System.load(args[0]);
        for (int i = 0; i < 10; i++) counted(i);
        int pid = Forks.fork();
        if (pid == 0) {
            System.out.println("start " + outcome(() -> Profile.start(args[1])));
            for (int i = 0; i < 1000; i++) counted(i);
            System.out.println("stop " + outcome(Profile::stop));
            System.out.println("start " + outcome(Profile::start));
            System.out.println("status " + Profile.status().split(",")[0]);
            System.exit(5);
        }
        System.out.println("child " + Forks.await(pid));
        for (int i = 0; i < 10; i++) counted(i);
    }
}
