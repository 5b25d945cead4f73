// Two processes that pass marks with the same keys (tests/run/counters.py).
//   send N       "sent" with the keys 1 to N
//   receive N    "received" with the keys N/2 to N + N/2 - 1: the first N/2 + 1 of them were sent
//   both N       "sent" and "received" with the keys 1 to N
class Joined {
    public static void main(String[] args) {
        int n = Integer.parseInt(args[1]), first = args[0].equals("receive") ? n / 2 : 1;
        for (int i = first; i < first + n; i++) {
            if (!args[0].equals("receive")) cabernet.Profile.mark("sent", i);
            if (!args[0].equals("send")) cabernet.Profile.mark("received", i);
        }
        System.out.println("done");
    }
}
